// show and convert.
#include "cli/commands.hpp"
#include "commands/convert.hpp"
#include "commands/show.hpp"
#include "format_words.hpp"

namespace tscatter::app {
namespace {

constexpr const char* in_help = "a file, x.npz:name, -, inline JSON or a typed literal";

int show_words(const CommandTree& tree, const CLI::App& command, const Words& words) {
  show(tree.argument(command, 0), {.dtype = given(words.dtype),
                                   .form = words.wants_json ? ShowForm::json : ShowForm::words,
                                   .part = words.wants_header ? ShowPart::header : ShowPart::all,
                                   .threads = words.thread_count()});
  return 0;
}

int convert_words(const CommandTree& tree, const CLI::App& command, const Words& words) {
  const std::string in = tree.argument(command, 0);
  const OutputWanted wanted{.word = tree.argument(command, 1),
                            .name = "OUT",
                            .format = words.stdout_format(),
                            .durability = words.is_sync ? Durability::power_cut : Durability::kill};
  convert(in, wanted, given(words.dtype));
  return 0;
}

}  // namespace

void add_show(CommandTree& tree) {
  CLI::App& command = tree.add_command(
      "show", "header, statistics and preview of a tensor; members of an archive",
      "tscatter show weights.npy\ntscatter show model.npz\ntscatter show model.npz:bias\n"
      "tscatter show --header huge.npy\ntscatter show 2x3xf16=0");
  Words& words = tree.words();
  tree.add_argument(command, "TENSOR", in_help);
  tree.add_dtype(command);
  command.add_flag("--header", words.wants_header, "the header only: no element is read")
      ->group("Output");
  command.add_flag("--json", words.wants_json, "header and statistics as one JSON object")
      ->group("Output");
  tree.add_threads(command);
  tree.set_action(command, [&] { return show_words(tree, command, words); });
}

void add_convert(CommandTree& tree) {
  CLI::App& command =
      tree.add_command("convert", "between .npy, .npz members and JSON, lossless or refused",
                       "tscatter convert weights.npy weights.json\ntscatter convert weights.npy "
                       "model.npz:weights\n"
                       "tscatter convert '[[1, 2], [3, 4]]' m.npy --dtype float16\n"
                       "tscatter convert bf16.npy bf16.json --dtype bfloat16");
  tree.add_argument(command, "IN", in_help);
  tree.add_argument(command, "OUT", output_forms() + " or -");
  tree.add_dtype(command);
  tree.add_format(command, "what -o - writes: npy (unless stdout is a terminal) or json");
  tree.add_sync(command);
  const Words& words = tree.words();
  tree.set_action(command, [&] { return convert_words(tree, command, words); });
}

}  // namespace tscatter::app
