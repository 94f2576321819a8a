#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "commands/commands.hpp"
#include "commands/open_tensor.hpp"
#include "jobs/format_words.hpp"
#include "jobs/operand.hpp"
#include "jobs/resources.hpp"
#include "jobs/result.hpp"
#include "process/errors.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/conversion.hpp"

namespace tscatter::app {
namespace {

// --to
using ConvertedTo = std::variant<DType, const Float8*>;

ConvertedTo parse_to(const std::string& text, const std::string& where) {
  if (const Float8* const format = float8_named(text)) return format;
  return parse_dtype_flag(text, where);
}

std::string_view name_of(const ConvertedTo& to) {
  const auto* const format = std::get_if<const Float8*>(&to);
  return format == nullptr ? info(std::get<DType>(to)).name : (*format)->name;
}

struct ConvertFlags {
  std::string in;
  std::optional<ElementsAs> elements;
  Missing missing = Missing::refused;
  std::optional<ConvertedTo> to;
  Rounding rounding = Rounding::refused;
  Misfits misfits = Misfits::refused;
  OutputWanted out{.word = std::string(), .name = "OUT", .options = {.in_place = {}}};
};

void require_one_reading(const ConvertFlags& flags) {
  const bool views_records = flags.elements && std::holds_alternative<RecordSize>(*flags.elements);
  // cli.c51
  if (flags.to && views_records) {
    fail(ErrorKind::usage, "cli.c51", "--to",
         "must be left out with --dtype V{}, whose records have no values, got {}",
         std::get<RecordSize>(*flags.elements).bytes, name_of(*flags.to));
  }
}

void require_rounding(const ConvertFlags& flags) {
  // cli.c103
  if (flags.misfits != Misfits::refused && !flags.to)
    fail(ErrorKind::usage, "cli.c103", "--cast", "needs --to DTYPE");
  // cli.c103
  if (flags.rounding != Rounding::refused && !flags.to)
    fail(ErrorKind::usage, "cli.c103", "--round", "needs --to DTYPE");
  const bool is_float8 = flags.to && std::holds_alternative<const Float8*>(*flags.to);
  // cli.c103
  if (flags.rounding == Rounding::saturated && !is_float8) {
    fail(ErrorKind::usage, "cli.c103", "--round",
         "saturate is for float8 dtypes (nearest is for all), got {}", name_of(*flags.to));
  }
}

Tensor converted_tensor(const ConvertFlags& flags, const Tensor& tensor) {
  if (!flags.to) return tensor;
  Progress* const progress = ProgressLine::of_run();
  if (const auto* const format = std::get_if<const Float8*>(&*flags.to))
    return as_float8(tensor, **format, flags.rounding, InterruptScope::stop(), progress,
                     flags.misfits);
  return converted(as_numbers(tensor), std::get<DType>(*flags.to), InterruptScope::stop(), progress,
                   flags.rounding, flags.misfits);
}

// The archive that is converted as a whole; nullptr if IN is a tensor, or OUT takes one.
std::unique_ptr<Archive> whole_archive(const ConvertFlags& flags) {
  const std::string& out = *flags.out.word;
  const bool takes_all = flags.out.format == nullptr && format_of_name(out).has_members();
  if (!takes_all || !names_a_path({.text = flags.in}, {.name = "IN", .dtype = {}})) return nullptr;
  return archive_named(flags.in);
}

// What the new archive has no place for.
void tell_of_metadata(const Archive& archive, const std::string& out) {
  const std::size_t keys = archive.metadata().value_or(ArchiveMetadata()).size();
  if (keys == 0 || format_of_name(out).has_metadata) return;
  print_error(
      warning_line(fmt::format("{}: has no place for metadata: {} left out", escape_control(out),
                               keys == 1 ? "1 key is" : fmt::format("{} keys are", keys))));
}

void convert_archive(const ConvertFlags& flags, std::unique_ptr<Archive> archive) {
  // cli.c82
  if (flags.to || flags.elements || flags.missing != Missing::refused) {
    fail(ErrorKind::usage, "cli.c82",
         flags.to         ? "--to"
         : flags.elements ? "--dtype"
                          : "--missing",
         "is for one tensor, got the archive {}", flags.in);
  }
  OutputWanted wanted = flags.out;
  wanted.lock = hold_output({}, *wanted.word, {flags.in});
  // Another run may have replaced it before it was locked.
  if (auto locked = wanted.lock ? whole_archive(flags) : nullptr) archive = std::move(locked);
  const InterruptScope scope;
  write_archive(wanted, *archive);
  now_stands(*wanted.word + " was written");
  tell_of_metadata(*archive, *wanted.word);
}

void convert(const ConvertFlags& flags) {
  require_one_reading(flags);
  require_rounding(flags);
  require_file_for_options(flags.out);
  if (auto archive = whole_archive(flags)) return convert_archive(flags, std::move(archive));
  OutputWanted wanted = flags.out;
  open_output(wanted);  // refuses a wrong word before anything is waited for
  wanted.lock = hold_output({}, *wanted.word, {flags.in});
  const std::unique_ptr<Output> output = open_output(wanted);
  const Tensor tensor = open_tensor(flags.in, "IN", flags.elements, flags.missing);
  require_stdout_apart(wanted, tensor);
  std::optional<InterruptScope> scope;
  if (leaves_temporary(flags.out)) scope.emplace();
  tensor.source().check_content({.threads = 0, .stop = InterruptScope::stop()});
  write_tensor(converted_tensor(flags, tensor), *output);
  if (scope) now_stands(*flags.out.word + " was written");
}

Invocation bind_convert(const Operation*) {
  const auto flags = std::make_shared<ConvertFlags>();
  OutputWanted& out = flags->out;
  return {
      .arguments = {{.name = "IN", .help = tensor_help, .into = text(flags->in)},
                    {.name = "OUT", .help = output_forms() + " or -", .into = text(out.word)}},
      .flags = in_group(
          "Output",
          {dtype_flag(named_elements(flags->elements, parse_elements)),
           missing_flag(flags->missing),
           value_flag("to", "DTYPE", "convert the values to this dtype, exactly or refused",
                      named_elements(flags->to, parse_to)),
           value_flag(
               "round", "NAME",
               "with --to: to the nearest value instead, of two the even one; what is too "
               "large is refused, and becomes infinity or NaN (nearest) or the largest "
               "(saturate) of float8_*",
               one_of<Rounding, Rounding>(flags->rounding, {{"nearest", Rounding::nearest},
                                                            {"saturate", Rounding::saturated}})),
           value_flag(
               "cast", "NAME",
               "with --to: unsafe converts what does not fit, too, as NumPy's astype: "
               "rounded, an infinity, without its fraction (with --round nearest the nearest "
               "integer), an integer dtype's end, low bits",
               one_of<Misfits, Misfits>(flags->misfits, {{"unsafe", Misfits::converted}})),
           format_flag(out.format), force_flag(out.replacing), compress_flag(out.compression),
           sync_flag(out.durability), wait_flag()}),
      .run = runs(flags, convert)};
}

}  // namespace

Command convert_command() {
  return {.name = "convert",
          .summary =
              "between files, archives and their members, and between dtypes; lossless or refused",
          .examples = {"tscatter convert weights.npy weights.json",
                       "tscatter convert weights.npy model.npz:weights --compress",
                       "tscatter convert model.safetensors model.npz",
                       "tscatter convert '[[1, 2], [3, 4]]' m.npy --dtype float16",
                       "tscatter convert ids.npy ids64.npy --to int64",
                       "tscatter convert w.npy half.npy --to float16 --round nearest",
                       "tscatter convert w.npy ids.npy --to int32 --cast unsafe",
                       "tscatter convert w.npy q.safetensors:w --to float8_e4m3fn --round nearest",
                       "tscatter convert bf16.npy bf16.json --dtype bfloat16"},
          .bind = bind_convert};
}

}  // namespace tscatter::app
