// Writes a whole .npz archive, as np.savez does. Not part of the installed interface.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

// A new archive of all these tensors, in their order, stored or deflated as the place says. Throws
// Error (usage, npz.z19; file) and Cancelled.
void write_npz(const OutputPlace& place, const Archive& tensors);

}  // namespace tscatter
