// Text that is collected while a batch runs and used at its end; a long one is kept on disk.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/error.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter::app {

class SpooledText {
 public:
  // `user` is what the text is for, in messages.
  explicit SpooledText(std::string user);

  // Where the disk takes no more, the text is given up, and its space freed for others.
  void append(std::string_view text);

  // Why it was given up.
  const std::optional<Error>& trouble() const { return trouble_; }

  // Passes the text to `take`, piece by piece. Throws trouble().
  void read(const std::function<void(std::string_view)>& take);

 private:
  std::string user_;
  std::optional<Spool> spool_;
  std::string pending_;
  std::optional<Error> trouble_;
};

// A report's file, or stdout for -: written at the end of the batch, all or nothing.
class ReportFile {
 public:
  // Throws Error (file.f4 or file.f7) now if the file cannot be created, not after the batch.
  explicit ReportFile(std::string path);

  void write(std::string_view text);
  void commit();

 private:
  OutputFile& file();

  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::int64_t size_ = 0;
};

}  // namespace tscatter::app
