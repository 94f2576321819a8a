// tscatter show TENSOR: header, statistics and preview; of an archive its members.
#pragma once

#include <optional>
#include <string>

namespace tscatter::app {

enum class ShowForm : bool { words, json };
enum class ShowPart : bool { all, header };  // header: the elements are not read

struct ShowWanted {
  std::optional<std::string> dtype;  // how opaque small records and untyped values are read
  ShowForm form = ShowForm::words;
  ShowPart part = ShowPart::all;
  int threads = 0;
};

// Throws Error.
void show(const std::string& word, const ShowWanted& wanted);

}  // namespace tscatter::app
