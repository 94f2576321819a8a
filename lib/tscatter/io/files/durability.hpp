// What finished work survives.
#pragma once

namespace tscatter {

enum class Durability : bool {
  kill,       // the death of the process
  power_cut,  // and that of the machine
};

}  // namespace tscatter
