#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/result_macros.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "server/listener.h"
#include "server/server.h"

namespace skim::cli {
namespace {

struct ServeOptions {
  std::vector<std::string> models;
  int table_mib = 512;
  std::string host = "127.0.0.1";
  int port = 8080;
  int threads = 0;
  int queue = 256;
  int max_body = 1 << 20;
  int max_text = 256 << 10;
  int max_question = 4 << 10;
  int max_batch = 256;
  int max_connections = 1024;
  double read_timeout = 10;
  double write_timeout = 10;
  double keep_alive = 15;
  std::string token_file;
  std::string cors;
  std::string access_log;
};

void declare_limits(Options& options, ServeOptions& chosen) {
  options.add("--threads", chosen.threads, "N", "worker threads (default: one per core)");
  options.add("--queue", chosen.queue, "N",
              "requests that may wait for a worker thread; beyond: 503 (default 256)");
  options.add("--max-body", chosen.max_body, "BYTES",
              "maximum size of a request body; beyond: 413 (default 1 MiB)");
  options.add("--max-text", chosen.max_text, "BYTES",
              "maximum size of a text; beyond: 422 (default 256 KiB)");
  options.add("--max-question", chosen.max_question, "BYTES",
              "maximum size of a question with its choices; beyond: 422 (default 4 KiB)");
  options.add("--max-batch", chosen.max_batch, "N",
              "maximum number of texts per batch; beyond: 422 (default 256)");
  options.add("--max-connections", chosen.max_connections, "N",
              "maximum number of open connections; beyond: 503 (default 1024)");
  options.add("--read-timeout", chosen.read_timeout, "SECONDS",
              "to receive a whole request (default 10)");
  options.add("--write-timeout", chosen.write_timeout, "SECONDS",
              "to send a whole response (default 10)");
  options.add("--keep-alive", chosen.keep_alive, "SECONDS",
              "idle time before a connection is closed (default 15)");
}

void declare(Options& options, ServeOptions& chosen) {
  options.add("--model", chosen.models, "[NAME=]FILE",
              "a model to serve; may be repeated (default: the built-in model)");
  options.add("--table-memory", chosen.table_mib, "MIB",
              "memory for the folded embedding tables of each model (default 512)");
  options.add_bounds("--table-memory", 0, 1 << 20);
  options.add("--host", chosen.host, "ADDRESS",
              "address to listen on (default 127.0.0.1: this host only)");
  options.add("--port", chosen.port, "N",
              "port to listen on; 0 selects a free port (default 8080)");
  options.add("--token-file", chosen.token_file, "FILE",
              "file with the token that clients must send as Authorization: Bearer TOKEN");
  options.add("--cors", chosen.cors, "ORIGIN",
              "allow requests from pages of this origin, * for all (default: none)");
  options.add("--access-log", chosen.access_log, "FILE|none",
              "access log, one JSON object per line (default: standard error)");
  declare_limits(options, chosen);
  options.add_example("skim serve");
  options.add_example("skim serve --model reviews=imdb.skim --model news.skim --port 9000");
}

// Checks the options without opening files. Returns an error message, empty if they are valid.
std::string validate(const ServeOptions& chosen) {
  const auto positive = {
      std::pair{"--queue", chosen.queue}, {"--max-body", chosen.max_body},
      {"--max-text", chosen.max_text},    {"--max-question", chosen.max_question},
      {"--max-batch", chosen.max_batch},  {"--max-connections", chosen.max_connections}};
  for (const auto& [option, value] : positive) {
    if (value < 1) return std::string(option) + " must be at least 1";
  }
  const auto times = {std::pair{"--read-timeout", chosen.read_timeout},
                      {"--write-timeout", chosen.write_timeout},
                      {"--keep-alive", chosen.keep_alive}};
  for (const auto& [option, value] : times) {
    if (!(value > 0 && value <= 86400)) {
      return std::string(option) + " must be a number of seconds, at most 86400";
    }
  }
  if (chosen.port < 0 || chosen.port > 65535) return "--port must be from 0 to 65535";
  if (chosen.threads < 0 || chosen.threads > 1024) return "--threads must be from 0 to 1024";
  for (const std::string& model : chosen.models) {
    if (model.ends_with('=')) return "--model " + model + " names no file, expected NAME=FILE";
  }
  const bool is_printable = std::all_of(chosen.cors.begin(), chosen.cors.end(),
                                        [](char c) { return c > 0x20 && c < 0x7F; });
  return is_printable ? "" : "--cors must be an origin such as https://example.org, or *";
}

bool is_model_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

// Loads the model of one --model argument: NAME=FILE, FILE (named by its stem) or a built-in model.
Result<server::ServedModel> load_served_model(const std::string& argument, int table_mib) {
  const std::size_t equals = argument.find('=');
  const bool has_name = equals != std::string::npos && is_model_name(argument.substr(0, equals));
  ModelChoice choice;
  choice.file = has_name ? argument.substr(equals + 1) : argument;
  choice.table_mib = table_mib;
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(choice));
  const std::string name = has_name ? argument.substr(0, equals) : path.stem().string();
  if (!is_model_name(name)) {
    return fail(Fault::argument, argument +
                                     ": expected a model name of at most 64 letters, digits and "
                                     "._-; give one with --model NAME=FILE");
  }
  SKIM_ASSIGN_OR_RETURN(auto model, load_model(choice));
  return server::ServedModel{name, std::move(model)};
}

Result<std::vector<server::ServedModel>> load_models(const ServeOptions& chosen) {
  std::vector<server::ServedModel> models;
  const std::vector<std::string> built_in = {""};
  for (const std::string& argument : chosen.models.empty() ? built_in : chosen.models) {
    SKIM_ASSIGN_OR_RETURN(auto served, load_served_model(argument, chosen.table_mib));
    if (server::find_model(models, served.name)) {
      return fail(Fault::argument, "two models have the name '" + served.name +
                                       "'; rename one with --model NAME=FILE");
    }
    models.push_back(std::move(served));
  }
  return models;
}

// Reads the token; empty when no file is given.
Result<std::string> load_token(const std::string& file) {
  if (file.empty()) return std::string();
  SKIM_ASSIGN_OR_RETURN(std::string token, read_text(file));
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= 0x20) token.pop_back();
  const bool is_visible_ascii =
      std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (token.size() >= 16 && is_visible_ascii) return token;
  return fail(Fault::argument, file +
                                   ": expected a token of at least 16 visible ASCII characters "
                                   "without spaces; create one with `openssl rand -hex 32`");
}

server::Limits make_limits(const ServeOptions& chosen) {
  const auto size = [](int value) { return static_cast<std::size_t>(value); };
  const auto time = [](double seconds) {
    return std::chrono::milliseconds(std::max(1L, static_cast<long>(seconds * 1000)));
  };
  server::Limits limits;
  limits.body_bytes = size(chosen.max_body);
  limits.text_bytes = size(chosen.max_text);
  limits.question_bytes = size(chosen.max_question);
  limits.batch = size(chosen.max_batch);
  limits.connections = size(chosen.max_connections);
  limits.queue = size(chosen.queue);
  limits.read_timeout = time(chosen.read_timeout);
  limits.write_timeout = time(chosen.write_timeout);
  limits.keep_alive_timeout = time(chosen.keep_alive);
  return limits;
}

// The destination of the access log: a file, standard error, or none (-1).
struct LogFile {
  FileDescriptor file;
  int descriptor = -1;
};

Result<LogFile> open_log(const std::string& name) {
  LogFile log;
  if (name == "none") return log;
  if (name.empty()) {
    log.descriptor = STDERR_FILENO;
    return log;
  }
  log.file = FileDescriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  if (!log.file) return system_error(name, "cannot open the access log");
  log.descriptor = log.file.number();
  return log;
}

// SIGTERM and SIGINT request a graceful shutdown through a descriptor, because a signal handler may
// only call async-signal-safe functions. A second signal terminates the process at once.
volatile std::sig_atomic_t stop_descriptor = -1;

extern "C" void request_stop(int /*signal*/) {
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  const int error = errno;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_descriptor, &one, sizeof one));
  errno = error;
}

void install_signal_handlers(const FileDescriptor& stop) {
  stop_descriptor = stop.number();
  std::signal(SIGTERM, request_stop);
  std::signal(SIGINT, request_stop);
}

void announce(const server::Listener& listener, const server::ServerOptions& options) {
  if (!listener.loopback && options.token.empty()) {
    print_message("serve",
                  "without --token-file, anyone who can reach this address can send requests");
  }
  const std::string line = "listening on http://" + listener.address + "\n";
  static_cast<void>(write_all(STDERR_FILENO, line));
}

int resolve_threads(const ServeOptions& chosen) {
  if (chosen.threads > 0) return chosen.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<void> run_server(const ServeOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(auto models, load_models(chosen));
  SKIM_ASSIGN_OR_RETURN(auto token, load_token(chosen.token_file));
  SKIM_ASSIGN_OR_RETURN(const auto log_file, open_log(chosen.access_log));
  std::vector<std::string> names;
  for (const server::ServedModel& each : models) names.push_back(each.name);
  const server::ServerOptions options{std::move(models), make_limits(chosen), std::move(token),
                                      chosen.cors};
  server::Metrics metrics(std::move(names));
  const FileDescriptor stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop) return fail(Fault::io, "cannot create an event descriptor");
  SKIM_ASSIGN_OR_RETURN(auto listener, server::listen_at(chosen.host, chosen.port));
  install_signal_handlers(stop);
  announce(listener, options);
  server::AccessLog log(log_file.descriptor, metrics);
  return server::serve(
      {options, metrics, log, std::move(listener.socket), stop.number(), resolve_threads(chosen)});
}

}  // namespace

int serve_verb(Arguments arguments) {
  ServeOptions chosen;
  Options options("serve",
                  "Serves models over HTTP, with a demo page at /. SIGTERM or Ctrl-C "
                  "stops it after all requests that have arrived are answered.",
                  "[options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto error = validate(chosen); !error.empty()) return usage_error("serve", error);
  const auto done = run_server(chosen);
  return done ? static_cast<int>(kSuccess) : failed("serve", done.error());
}

}  // namespace skim::cli
