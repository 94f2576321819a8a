#include "mpi/commands_of_ranks.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/program.hpp"
#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "commands/batch.hpp"
#include "commands/commands.hpp"
#include "commands/parts.hpp"

namespace tscatter::app {
namespace {

// The command for all ranks: what fails on one ends it on all, and that rank says it.
Command by_all(Command command, Ranks& ranks, std::vector<Flag> flags) {
  command.bind = [bind = std::move(command.bind), &ranks, flags](const Operation* operation) {
    Invocation invocation = bind(operation);
    invocation.flags = joined(std::move(invocation.flags), flags);
    for (Flag& flag : invocation.flags) {
      if (flag.name == "unit") flag.only_with = {};  // ranks always work by units
    }
    invocation.run = [run = std::move(invocation.run), &ranks](const Messages& messages) {
      int exit_code = 0;
      try {
        ranks.together([&] { exit_code = run(messages); });
      } catch (const FailedElsewhere&) {
        return 0;
      }
      return exit_code;
    };
    return invocation;
  };
  return command;
}

// The command on a rank that leaves it to rank 0.
Command by_another(Command command) {
  const auto idle = [](Invocation invocation) {
    // It holds what the flags write into.
    invocation.run = [run = std::move(invocation.run)](const Messages&) { return 0; };
    return invocation;
  };
  for (auto* const bind : {&command.bind, &command.bind_word}) {
    if (!*bind) continue;
    *bind = [bound = std::move(*bind), idle](const Operation* operation) {
      return idle(bound(operation));
    };
  }
  if (command.bind_case)
    command.bind_case = [bind = std::move(command.bind_case), idle] { return idle(bind()); };
  return command;
}

std::vector<Command> commands_of_ranks(Ranks& ranks) {
  const auto dealing = std::make_shared<Dealing>();
  const RunJob run = [&ranks, dealing](const Job& job, const ApplyFlags& flags,
                                       const Messages& messages) {
    run_by_ranks(ranks, *dealing, job, flags, messages);
  };
  const RunBatch batch = [&ranks](const BatchFlags& flags, const Messages& messages) {
    return batch_by_ranks(ranks, flags, messages);
  };
  std::vector<Command> all;
  for (const Command& command : commands()) {
    const auto verb = std::ranges::find(index_verbs(), command.name, &IndexVerb::word);
    if (verb != index_verbs().end()) {
      all.push_back(by_all(verb_command(*verb, run), ranks, dealing_flags(*dealing)));
    } else if (command.operation != nullptr) {
      all.push_back(by_all(apply_command(*command.operation, run), ranks, dealing_flags(*dealing)));
    } else if (command.name == "run") {
      all.push_back(by_all(run_command(run), ranks, dealing_flags(*dealing)));
    } else if (command.name == "batch") {
      all.push_back(by_all(batch_command(batch), ranks, {}));
    } else {
      all.push_back(ranks.rank() == 0 ? command : by_another(command));
    }
  }
  return all;
}

}  // namespace

int run_words(Ranks& ranks, const std::vector<std::string>& words) {
  ranks.begin();
  const int exit_code =
      run_program(commands_of_ranks(ranks), words, [&ranks] { return ranks.prints(); });
  return static_cast<int>(-ranks.least(-exit_code));
}

}  // namespace tscatter::app
