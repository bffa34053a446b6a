#include <fcntl.h>
#include <malloc.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/result_macros.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "cli/serve_models.h"
#include "cli/verbs.h"
#include "server/field_syntax.h"
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
  int max_pending_bytes = 256 << 20;
  double read_timeout = 10;
  double write_timeout = 10;
  double keep_alive = 15;
  std::string token_file;
  std::string cors;
  std::vector<std::string> allow_hosts;
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
  options.add("--max-pending-bytes", chosen.max_pending_bytes, "BYTES",
              "memory for responses that clients have not received; beyond: 503 (default 256 MiB)");
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
  options.add("--allow-host", chosen.allow_hosts, "NAME",
              "answer requests for this host, too, * for all; may be repeated (default on a "
              "loopback address: localhost and ADDRESS; else: all)");
  options.add("--access-log", chosen.access_log, "FILE|none",
              "access log, one JSON object per line (default: standard error)");
  declare_limits(options, chosen);
  options.add_example("skim serve");
  options.add_example("skim serve --model reviews=imdb.skim --model news.skim --port 9000");
}

// A host name or an IP address, without scheme and port.
bool is_host(const std::string& text) {
  const bool has_port = std::count(text.begin(), text.end(), ':') == 1;
  return !text.empty() && !has_port && server::is_authority(text);
}

// Checks the options without opening files. Returns an error message, empty if they are valid.
std::string validate(const ServeOptions& chosen) {
  const auto positive = {std::pair{"--queue", chosen.queue},
                         {"--max-body", chosen.max_body},
                         {"--max-text", chosen.max_text},
                         {"--max-question", chosen.max_question},
                         {"--max-batch", chosen.max_batch},
                         {"--max-connections", chosen.max_connections},
                         {"--max-pending-bytes", chosen.max_pending_bytes}};
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
  for (const std::string& host : chosen.allow_hosts) {
    if (!is_host(host)) {
      return "--allow-host " + host + " is invalid, expected a host such as example.org, or *";
    }
  }
  const bool is_printable = std::all_of(chosen.cors.begin(), chosen.cors.end(),
                                        [](char c) { return c > 0x20 && c < 0x7F; });
  return is_printable ? "" : "--cors must be an origin such as https://example.org, or *";
}

// The log is appended to its file, which must not be one of the files that are read.
std::string validate_log(const ServeOptions& chosen, const std::vector<ModelSource>& sources) {
  std::vector<NamedFile> inputs = {{"--token-file", chosen.token_file}};
  for (const ModelSource& source : sources) inputs.push_back(model_file(source.choice));
  const bool has_file = chosen.access_log != "none";
  return validate_outputs({{"--access-log", has_file ? chosen.access_log : ""}}, inputs);
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
  limits.pending_bytes = size(chosen.max_pending_bytes);
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
  log.file = open_file(name, O_WRONLY | O_CREAT | O_APPEND, 0640);
  if (!log.file) return system_error(name, "cannot open the access log");
  log.descriptor = log.file.number();
  return log;
}

// Signal handlers write to these descriptors, because they may only call async-signal-safe
// functions.
volatile std::sig_atomic_t stop_descriptor = -1;
volatile std::sig_atomic_t reload_descriptor = -1;
volatile std::sig_atomic_t has_terminal = 0;

void signal_descriptor(int descriptor) {
  const int error = errno;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(descriptor, &one, sizeof one));
  errno = error;
}

// SIGTERM and SIGINT request a graceful shutdown. A second signal terminates the process at once.
extern "C" void request_stop(int /*signal*/) {
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  signal_descriptor(stop_descriptor);
}

// SIGHUP requests a reload. The same signal arrives when the terminal is closed in which the server
// was started: then it stops.
extern "C" void request_reload(int signal) {
  termios ignored{};
  const bool terminal_closed = has_terminal != 0 && ::tcgetattr(STDIN_FILENO, &ignored) != 0;
  if (terminal_closed) return request_stop(signal);
  signal_descriptor(reload_descriptor);
}

// On a public address all hosts are allowed unless --allow-host is given.
server::HostFilter make_host_filter(const ServeOptions& chosen, const server::Listener& listener) {
  if (!listener.loopback && chosen.allow_hosts.empty()) return {};
  std::vector<std::string> names = chosen.allow_hosts;
  names.push_back(chosen.host);
  return server::HostFilter(names);
}

void announce(const server::Listener& listener, const server::ServerOptions& options) {
  if (!listener.loopback && options.token.empty()) {
    print_message("serve",
                  "without --token-file, anyone who can reach this address can send requests");
  }
  const std::string line = "listening on http://" + listener.address + "\n";
  static_cast<void>(write_all(STDERR_FILENO, line));
}

std::size_t resolve_threads(const ServeOptions& chosen) {
  if (chosen.threads > 0) return static_cast<std::size_t>(chosen.threads);
  return std::max(1U, std::thread::hardware_concurrency());
}

// Returns large responses to the system as soon as they are freed. By default glibc moves its
// limits up to what was freed last, and each thread then keeps tens of megabytes.
void limit_retained_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

// Requests of the signal handlers, as eventfds.
struct Signals {
  FileDescriptor stop{::eventfd(0, EFD_CLOEXEC)};
  FileDescriptor reload{::eventfd(0, EFD_CLOEXEC)};
  FileDescriptor end_reloads{::eventfd(0, EFD_CLOEXEC)};  // of the reloading thread
};

// Call it before models are loaded, which may take seconds: a reload that is requested meanwhile
// must not end the process.
void accept_reloads(const Signals& signals) {
  reload_descriptor = signals.reload.number();
  stop_descriptor = signals.stop.number();
  has_terminal = ::isatty(STDIN_FILENO);
  std::signal(SIGHUP, request_reload);
}

Result<void> run_server(const ServeOptions& chosen, const std::vector<ModelSource>& sources) {
  limit_retained_memory();
  const server::Limits limits = make_limits(chosen);
  SKIM_RETURN_IF_ERROR(server::reserve_descriptors(limits));
  const Signals signals;
  if (!signals.stop || !signals.reload || !signals.end_reloads)
    return fail(Fault::io, "cannot create an event descriptor");
  accept_reloads(signals);
  SKIM_ASSIGN_OR_RETURN(auto models, load_models(sources));
  server::ModelRegistry registry(std::move(models), resolve_threads(chosen));
  SKIM_ASSIGN_OR_RETURN(auto token, load_token(chosen.token_file));
  SKIM_ASSIGN_OR_RETURN(const auto log_file, open_log(chosen.access_log));
  server::Metrics metrics(registry.names());
  SKIM_ASSIGN_OR_RETURN(auto listener, server::listen_at(chosen.host, chosen.port));
  const server::ServerOptions options{limits, std::move(token), chosen.cors,
                                      make_host_filter(chosen, listener)};
  std::signal(SIGTERM, request_stop);
  std::signal(SIGINT, request_stop);
  announce(listener, options);
  server::AccessLog log(log_file.descriptor, metrics);
  const Reloader reloader(sources, registry, metrics, signals.reload, signals.end_reloads);
  return server::serve(
      {options, registry, metrics, log, std::move(listener.socket), signals.stop.number()});
}

}  // namespace

int serve_verb(Arguments arguments) {
  ServeOptions chosen;
  Options options("serve",
                  "Serves models over HTTP, with a demo page at /. SIGTERM or Ctrl-C "
                  "stops it after all requests that have arrived are answered; SIGHUP reloads "
                  "the models.",
                  "[options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto error = validate(chosen); !error.empty()) return usage_error("serve", error);
  const auto sources = find_models(chosen.models, chosen.table_mib);
  if (!sources) return failed("serve", sources.error());
  if (const auto error = validate_log(chosen, *sources); !error.empty())
    return usage_error("serve", error);
  const auto done = run_server(chosen, *sources);
  return done ? static_cast<int>(kSuccess) : failed("serve", done.error());
}

}  // namespace skim::cli
