// What a result survives.
#pragma once

namespace tscatter {

enum class Durability : bool {
  kill,       // the death of the process
  power_cut,  // and that of the machine
};

// Whether a change in place keeps the old bytes until it is complete.
enum class Journaling : bool { left_out, done };

}  // namespace tscatter
