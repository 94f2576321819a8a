// Help at every width: lines that fit, whole words.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "app/folder.hpp"
#include "batch/cases/case_reader.hpp"
#include "catch.hpp"
#include "cli/completion.hpp"
#include "jobs/job_keys.hpp"
#include "property/environment.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

// A terminal with so many columns, for a command to write to.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) : master_{::posix_openpt(O_RDWR | O_NOCTTY)} {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0)
      throw std::runtime_error("no terminal");
    path_ = ::ptsname(master_);
    slave_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 25, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(slave_, TIOCSWINSZ, &size);
    termios mode{};
    ::tcgetattr(slave_, &mode);
    ::cfmakeraw(&mode);
    ::tcsetattr(slave_, TCSANOW, &mode);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (slave_ >= 0) ::close(slave_);
    ::close(master_);
  }

  // What the command shows.
  std::string shown(Strings arguments) {
    auto text = std::async(std::launch::async, [this] { return read_all(); });
    const Result result = Command(std::move(arguments)).with_output_to(path_).run();
    CHECK(result.exit_code == 0);
    ::close(std::exchange(slave_, -1));  // the last: reading ends
    return text.get();
  }

 private:
  std::string read_all() const {
    std::string text;
    std::array<char, 4096> piece{};
    for (;;) {
      const ssize_t got = ::read(master_, piece.data(), piece.size());
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  int master_;
  int slave_ = -1;
  std::string path_;
};

Strings words_of(const std::string& text) {
  std::istringstream in(text);
  Strings words;
  for (std::string word; in >> word;) {
    if (word != "\\") words.push_back(word);  // the mark of a continued command line
  }
  return words;
}

// Lines with more than `width` characters, except single words and quoted words.
Strings long_lines(const std::string& text, std::size_t width) {
  std::istringstream in(text);
  Strings lines;
  for (std::string line; std::getline(in, line);) {
    if (line.size() > width && words_of(line).size() > 1) lines.push_back(line);
  }
  return lines;
}

std::vector<Strings> all_helps() {
  std::vector<Strings> helps{{}, {"--help"}, {"-h"}};
  Strings commands =
      split_words("run batch compare verify explain generate show convert ops recover help");
  for (const Operation* operation : operations()) commands.emplace_back(operation->name);
  for (const std::string& command : commands) {
    helps.push_back({command, "--help"});
    helps.push_back({command, "-h"});
  }
  helps.push_back({"verify", "SliceScatter-15", "--help"});
  for (const char* topic : {"index", "exit-codes", "operands", "formats", "jobs", "journal",
                            "numpy", "environment", "messages", "rules"}) {
    helps.push_back({"help", topic});
  }
  return helps;
}

// Where the second columns of a text begin; lines without a gap of two spaces have none.
std::set<std::size_t> second_columns(const std::string& text) {
  std::istringstream in(text);
  std::set<std::size_t> columns;
  for (std::string line; std::getline(in, line);) {
    const std::size_t gap = line.find("  ", line.find_first_not_of(' '));
    if (gap < line.size()) columns.insert(line.find_first_not_of(' ', gap));
  }
  return columns;
}

// The names of the variables of the environment that the program's sources read.
std::set<std::string> variables_read() {
  const std::regex read(R"re((?:variable|getenv|number_of_environment)\("([A-Z_]+)")re");
  const std::filesystem::path app = std::filesystem::path(TSCATTER_SOURCE_DIR) / "app";
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(app)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_file(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), read), end; found != end; ++found)
      names.insert((*found)[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("help fits the terminal, and breaks no word", "[app]") {
  constexpr unsigned short unlimited = 10000;
  const auto all = all_helps();
  for (std::size_t i = 0; i < all.size(); i += property::is_slowed ? 4 : 1) {
    const Strings& help = all[i];
    const Strings words = words_of(Terminal(unlimited).shown(help));
    CHECK(words.size() > 10);
    for (const unsigned short width : std::initializer_list<unsigned short>{60, 80, 120}) {
      INFO(width << (help.empty() ? "" : " " + help.front() + " " + help.back()));
      const std::string text = Terminal(width).shown(help);
      CHECK(long_lines(text, width) == Strings{});
      CHECK(words_of(text) == words);
    }
  }
}

TEST_CASE("help is 80 wide where stdout is no terminal, and 40 at least", "[app]") {
  const Strings help{"batch", "--help"};
  CHECK(output_of(help) == Terminal(80).shown(help));
  CHECK(Terminal(7).shown(help) == Terminal(40).shown(help));
}

TEST_CASE("text goes on below itself, a command line behind a backslash", "[app]") {
  CHECK_THAT(
      output_of("ScatterUpdate --help"),
      contains("  tscatter ScatterUpdate-3 -d data.npy -i indices.npy -u updates.npy -a 1 -o \\\n"
               "      out.npy\n"));
  CHECK_THAT(Terminal(60).shown({"show", "-h"}),
             contains("  --dtype DTYPE   the dtype of values without one, and how\n"
                      "                  to read 1- and 2-byte records (bfloat16)\n"));
  CHECK_THAT(Terminal(40).shown({"show", "-h"}),
             contains("  --dtype DTYPE   the dtype of values\n"
                      "      without one, and how to read 1-\n"));
}

TEST_CASE("the names in a list have one column, as wide as the longest", "[app]") {
  constexpr unsigned short unlimited = 10000;
  for (const Strings& help :
       {Strings{"--help"}, Strings{"ops"}, Strings{"batch", "--help"}, Strings{"help", "operands"},
        Strings{"help", "formats"}, Strings{"help", "rules"}, Strings{"help", "messages"}}) {
    INFO(help.front() << " " << help.back());
    CHECK(second_columns(Terminal(unlimited).shown(help)).size() == 1);
  }
}

TEST_CASE("the topic environment has each variable that the program reads", "[app]") {
  const Strings topic =
      words_of(std::regex_replace(output_of("help environment"), std::regex("[,;]"), " "));
  const std::set<std::string> names = variables_read();
  CHECK(names.size() > 10);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(std::ranges::count(topic, name) > 0);
  }
}

TEST_CASE("the topic jobs and docs/errors.md have each key that every job has", "[app]") {
  const Strings topic =
      words_of(std::regex_replace(output_of("help jobs"), std::regex("[,;.]"), " "));
  const std::string page =
      read_file(std::filesystem::path(TSCATTER_SOURCE_DIR) / "docs" / "errors.md");
  for (const app::JobKey& key : app::job_keys()) {
    const std::string name(key.name);
    INFO(name);
    CHECK(std::ranges::count(topic, name) > 0);
    CHECK_THAT(page, contains("`" + name + "`"));
  }
  for (const PolicyInfo& policy : policy_table())
    CHECK(std::ranges::count(topic, std::string(policy.key)) > 0);
  for (const std::string_view key : app::batch_keys) {
    INFO(key);
    CHECK(std::ranges::count(topic, std::string(key)) > 0);
  }
  CHECK(std::ranges::count(topic, R"({"defaults":)") == 1);
}

TEST_CASE("docs/errors.md has each exit code, docs/formats.md each dtype and its short name",
          "[app][docs]") {
  const std::filesystem::path docs = std::filesystem::path(TSCATTER_SOURCE_DIR) / "docs";
  const std::string errors = read_file(docs / "errors.md");
  const std::string topic = output_of("help exit-codes");
  static const std::regex codes("\n  ([0-9]+(?:, [0-9]+)*)");
  int found = 0;
  for (std::sregex_iterator at(topic.begin(), topic.end(), codes), end; at != end; ++at, ++found) {
    INFO((*at)[1]);
    CHECK_THAT(errors, contains("\n| " + (*at)[1].str() + " |"));
  }
  CHECK(found == 9);
  const std::string formats = read_file(docs / "formats.md");
  for (const DTypeInfo& each : dtype_table) {
    if (each.dtype == DType::opaque) continue;
    INFO(each.name);
    CHECK(std::regex_search(formats, std::regex(fmt::format("\n\\| [^\n]*\\b{}\\b", each.name))));
    CHECK(std::regex_search(formats,
                            std::regex(fmt::format("\n\\| [^\n]*\\b{}\\b", each.short_name))));
  }
}

TEST_CASE("the job of the topic jobs is one", "[app]") {
  const TemporaryDirectory directory;
  const std::string topic = output_of("help jobs");
  const std::size_t begin = topic.find('{');
  write_file(directory / "job.json", topic.substr(begin, topic.find("}\n", begin) + 1 - begin));
  output_of({"convert", "3xf32=1,2,3", directory / "data.npy"});
  output_of({"run", directory / "job.json"});
  CHECK(output_of({"convert", directory / "out.npy", "-", "--format", "json"}) ==
        "{\"dtype\": \"float32\", \"shape\": [3], \"data\": [6.0, 2.0, 9.0]}\n");
}

TEST_CASE("what the topic numpy says to write does what it says", "[app]") {
  const Folder folder;
  const std::string topic = output_of("help numpy");
  const auto write = [&](const char* value, const char* name) {
    output_of({"convert", value, folder / name});
  };
  const auto written = [&](const std::string& line) {
    CHECK_THAT(topic, contains("  " + line + "\n"));
    const Strings words = app::words_of_line("tscatter " + line);
    return folder.out(words);
  };
  write("3x2xf32=0,0,0,0,0,-8", "a.npy");
  write("[2, 0]", "ids.npy");
  write("2x2xf32=1,2,3,4", "rows.npy");
  CHECK(written("set 'a.npy[ids.npy]' rows.npy") == "[[3.0, 4.0],\n [0.0, 0.0],\n [1.0, 2.0]]\n");
  CHECK(written("set 'a.npy[< 0]' 0") == "[[0.0, 0.0],\n [0.0, 0.0],\n [0.0, 0.0]]\n");
  CHECK(written("get 'a.npy[ids.npy]'") == "[[0.0, -8.0],\n [0.0, 0.0]]\n");
  write("[[0], [1], [0]]", "i.npy");
  write("3x1xf32=5,6,7", "v.npy");
  CHECK(written("numpy.put_along_axis -d a.npy -i i.npy -u v.npy --axis 1") ==
        "[[5.0, 0.0],\n [0.0, 6.0],\n [7.0, -8.0]]\n");
  CHECK(written("numpy.put -d a.npy -i i.npy -u v.npy --mode wrap") ==
        "[[7.0, 6.0],\n [0.0, 0.0],\n [0.0, -8.0]]\n");
  write("3x2xf32=0,0,0,0,0,-8", "b.npy");
  CHECK(written("compare a.npy b.npy") == "equal: 6 elements\n");
  for (const char* name : {"exactly, or refused", "NumPy's i8, of 8\nbytes, is i64 here"})
    CHECK_THAT(topic, contains(name));
}

TEST_CASE("messages have a topic, and one line elsewhere", "[app]") {
  const std::string topic = output_of("help messages");
  for (const char* flag : {"-v,--verbose", "-q,--quiet", "--color"})
    CHECK_THAT(topic, contains(flag));
  for (const Strings& help : {Strings{"--help"}, Strings{"show", "--help"}, Strings{"run", "-h"}}) {
    const std::string text = output_of(help);
    CHECK(text.ends_with("\n\n-v, -q and --color: tscatter help messages\n"));
    CHECK_THAT(text, !contains("--verbose"));
  }
}

}  // namespace tscatter
