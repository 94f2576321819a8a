// What is done so that work survives.
#pragma once

namespace tscatter {

enum class Durability : bool {
  kill,       // the death of the process
  power_cut,  // and that of the machine
};

// Of a change in place: whether the old bytes are kept until it is whole.
enum class Journaling : bool { left_out, done };

}  // namespace tscatter
