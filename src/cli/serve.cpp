#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "server/http.h"
#include "server/listener.h"

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
  options.add("--threads", chosen.threads, "N", "texts read at a time (default: one a core)");
  options.add("--queue", chosen.queue, "N",
              "requests that may wait for a thread, beyond them 503 (default 256)");
  options.add("--max-body", chosen.max_body, "BYTES", "of a request, beyond 413 (default 1 MiB)");
  options.add("--max-text", chosen.max_text, "BYTES", "of a text, beyond 422 (default 256 KiB)");
  options.add("--max-question", chosen.max_question, "BYTES",
              "of a question with its choices, beyond 422 (default 4 KiB)");
  options.add("--max-batch", chosen.max_batch, "N", "texts of a batch, beyond 422 (default 256)");
  options.add("--max-connections", chosen.max_connections, "N",
              "open at a time, beyond them 503 (default 1024)");
  options.add("--read-timeout", chosen.read_timeout, "SECONDS",
              "for a whole request to arrive (default 10)");
  options.add("--write-timeout", chosen.write_timeout, "SECONDS",
              "for a whole answer to be taken (default 10)");
  options.add("--keep-alive", chosen.keep_alive, "SECONDS",
              "that a connection may wait for its next request (default 15)");
}

void declare_all(Options& options, ServeOptions& chosen) {
  options.add("--model", chosen.models, "[NAME=]FILE",
              "a model to serve; may be given several times (default: the built-in one)");
  options.add("--table-memory", chosen.table_mib, "MIB",
              "memory for word tables of each model, in MiB (default 512)");
  options.add("--host", chosen.host, "ADDRESS",
              "where to listen (default 127.0.0.1: this machine only)");
  options.add("--port", chosen.port, "N", "0 picks a free one (default 8080)");
  options.add("--token-file", chosen.token_file, "FILE",
              "holds a token that clients must send as Authorization: Bearer TOKEN");
  options.add("--cors", chosen.cors, "ORIGIN",
              "lets pages of another origin ask, * for all (default: none)");
  options.add("--access-log", chosen.access_log, "FILE|none",
              "one JSON object a line (default: standard error)");
  declare_limits(options, chosen);
  options.add_example("skim serve");
  options.add_example("skim serve --model reviews=imdb.skim --model news.skim --port 9000");
}

// What can be wrong without looking at a file; empty if nothing is.
std::string fault_of(const ServeOptions& chosen) {
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
  const bool printable_origin = std::all_of(chosen.cors.begin(), chosen.cors.end(),
                                            [](char c) { return c > 0x20 && c < 0x7F; });
  return printable_origin ? "" : "--cors must be an origin such as https://example.org, or *";
}

bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

// "NAME=FILE", or a file whose name without its ending is the model's, or a built-in model.
Result<server::Served> load_served(const std::string& given, int table_mib) {
  const std::size_t equals = given.find('=');
  const bool named = equals != std::string::npos && is_name(given.substr(0, equals));
  ModelChoice choice;
  choice.file = named ? given.substr(equals + 1) : given;
  choice.table_mib = table_mib;
  const auto path = model_path(choice);
  if (!path) return tl::make_unexpected(path.error());
  const std::string name = named ? given.substr(0, equals) : path->stem().string();
  if (!is_name(name)) {
    return fail(Fault::argument, given +
                                     ": a model's name is made of up to 64 letters, digits and "
                                     "._-; give one with --model NAME=FILE");
  }
  auto model = load_model(choice);
  if (!model) return tl::make_unexpected(model.error());
  return server::Served{name, std::move(*model)};
}

Result<std::vector<server::Served>> load_all(const ServeOptions& chosen) {
  std::vector<server::Served> models;
  const std::vector<std::string> built_in = {""};
  for (const std::string& given : chosen.models.empty() ? built_in : chosen.models) {
    auto served = load_served(given, chosen.table_mib);
    if (!served) return tl::make_unexpected(served.error());
    if (server::find_model(models, served->name)) {
      return fail(Fault::argument, "two models are called '" + served->name +
                                       "'; tell them apart with --model NAME=FILE");
    }
    models.push_back(std::move(*served));
  }
  return models;
}

Result<std::string> token_from(const std::string& file) {
  if (file.empty()) return std::string();
  auto token = read_text(file);
  if (!token) return token;
  while (!token->empty() && static_cast<unsigned char>(token->back()) <= 0x20) token->pop_back();
  const bool plain =
      std::all_of(token->begin(), token->end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (token->size() >= 16 && plain) return token;
  return fail(Fault::argument, file +
                                   ": a token has at least 16 visible ASCII characters and no "
                                   "spaces; `openssl rand -hex 32` makes one");
}

server::Limits limits_of(const ServeOptions& chosen) {
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
  limits.read_time = time(chosen.read_timeout);
  limits.write_time = time(chosen.write_timeout);
  limits.keep_alive_time = time(chosen.keep_alive);
  return limits;
}

// Where the access log goes: a file of its own, standard error, or nowhere.
struct LogFile {
  Descriptor opened;
  int descriptor = -1;
};

Result<LogFile> open_log(const std::string& name) {
  LogFile log;
  if (name == "none") return log;
  if (name.empty()) {
    log.descriptor = STDERR_FILENO;
    return log;
  }
  log.opened = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  if (!log.opened) return system_error(name, "cannot open it");
  log.descriptor = log.opened.number();
  return log;
}

// SIGTERM and SIGINT ask the server to stop, through a descriptor, because next to nothing may be
// done in a handler. The second one ends the program at once.
volatile std::sig_atomic_t stop_descriptor = -1;

extern "C" void ask_to_stop(int /*signal*/) {
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  const int error = errno;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_descriptor, &one, sizeof one));
  errno = error;
}

void listen_to_signals(const Descriptor& stop) {
  stop_descriptor = stop.number();
  std::signal(SIGTERM, ask_to_stop);
  std::signal(SIGINT, ask_to_stop);
}

void announce(const server::Listener& listener, const server::Site& site) {
  if (!listener.loopback && site.token.empty()) {
    complain("serve", "without --token-file, everyone who reaches this address may ask");
  }
  const std::string line = "listening on http://" + listener.address + "\n";
  static_cast<void>(write_all(STDERR_FILENO, line));
}

int threads_of(const ServeOptions& chosen) {
  if (chosen.threads > 0) return chosen.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<void> serve_all(const ServeOptions& chosen) {
  auto models = load_all(chosen);
  if (!models) return tl::make_unexpected(models.error());
  auto token = token_from(chosen.token_file);
  if (!token) return tl::make_unexpected(token.error());
  const auto log_file = open_log(chosen.access_log);
  if (!log_file) return tl::make_unexpected(log_file.error());
  std::vector<std::string> names;
  for (const server::Served& each : *models) names.push_back(each.name);
  const server::Site site{std::move(*models), limits_of(chosen), std::move(*token), chosen.cors};
  server::Metrics metrics(std::move(names));
  const Descriptor stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop) return fail(Fault::io, "the system gives no event descriptor");
  auto listener = server::listen_at(chosen.host, chosen.port);
  if (!listener) return tl::make_unexpected(listener.error());
  listen_to_signals(stop);
  announce(*listener, site);
  server::AccessLog log(log_file->descriptor, metrics);
  return server::serve(
      {site, metrics, log, std::move(listener->socket), stop.number(), threads_of(chosen)});
}

}  // namespace

int serve_verb(Arguments arguments) {
  ServeOptions chosen;
  Options options("serve",
                  "Answers over HTTP, and shows a page on which to try it. Stops on "
                  "SIGTERM or Ctrl-C, after all that has arrived is answered.",
                  "[options]");
  declare_all(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = fault_of(chosen); !fault.empty()) return wrong_usage("serve", fault);
  const auto done = serve_all(chosen);
  return done ? static_cast<int>(kDone) : failed("serve", done.error());
}

}  // namespace skim::cli
