// Whether a member of an archive is deflated when it is written.
#pragma once

namespace tscatter {

enum class Compression : bool { stored, deflated };

}  // namespace tscatter
