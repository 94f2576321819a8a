#include <algorithm>
#include <array>

#include "cli/completion.hpp"

namespace tscatter::app {
namespace {

// A candidate that ends in / : or = goes on, so no blank follows it.
constexpr std::string_view bash_script = R"(# bash completion of tscatter
_tscatter() {
  local program=${1/#\~\//$HOME/}
  mapfile -t COMPREPLY < <("$program" __complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]] && compopt -o nospace
}
complete -o filenames -o bashdefault -F _tscatter tscatter
)";

constexpr std::string_view zsh_script = R"(#compdef tscatter
_tscatter() {
  local line="${(j: :)words[1,CURRENT-1]} $compstate[quote]$PREFIX" each
  local program="${${(Q)words[1]}/#\~\//$HOME/}" front=
  local any_case='m:{a-zA-Z}={A-Za-z}'
  local -a whole shown open
  [[ -z $compstate[quote] ]] && compset -P '\~/' && front='~/'
  for each in "${(@f)$("$program" __complete zsh "$line" 2>/dev/null)}"; do
    local text="${${each%%$'\t'*}#$front}"
    if [[ $text == *[/:=] ]]; then
      open+=("$text")
    elif [[ -n $text ]]; then
      whole+=("$text")
      shown+=("${each/$'\t'/  }")
    fi
  done
  compadd -M "$any_case" -S '' -a open
  compadd -M "$any_case" -l -d shown -a whole
}
if [[ $funcstack[1] == _tscatter ]]; then
  _tscatter "$@"
else
  compdef _tscatter tscatter
fi
)";

constexpr std::string_view fish_script = R"(# fish completion of tscatter
function __tscatter_complete
  set -l words (commandline -opc)
  set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
  $program __complete fish (commandline -cp) 2>/dev/null
end
complete -c tscatter -f -a '(__tscatter_complete)'
)";

constexpr std::array shells{
    Shell{.name = "bash", .script = bash_script, .breaks = ":=@"},
    Shell{.name = "zsh", .script = zsh_script, .takes_help = true},
    Shell{.name = "fish", .script = fish_script, .takes_help = true},
};

}  // namespace

const Shell* find_shell(std::string_view name) {
  const auto found = std::ranges::find(shells, name, &Shell::name);
  return found == shells.end() ? nullptr : &*found;
}

std::vector<std::string> shell_names() {
  std::vector<std::string> names(shells.size());
  std::ranges::transform(shells, names.begin(),
                         [](const Shell& shell) { return std::string(shell.name); });
  return names;
}

std::string candidate_lines(const Shell& shell, std::string_view word,
                            std::span<const Candidate> candidates) {
  std::size_t kept = word.find_last_of(shell.breaks) + 1;
  if (kept > 0 && word[kept - 1] == '@') --kept;  // readline begins the word with it
  std::string lines;
  for (const Candidate& each : candidates) {
    lines += each.text.substr(kept);
    if (shell.takes_help && !each.help.empty()) lines += "\t" + each.help;
    lines += "\n";
  }
  return lines;
}

}  // namespace tscatter::app
