#include "process/host.hpp"

#include <utility>

namespace tscatter::app {
namespace {

thread_local Host* of_thread = nullptr;

}  // namespace

Host* Host::present() { return of_thread; }

HostScope::HostScope(Host* host) : outer_{std::exchange(of_thread, host)} {}
HostScope::~HostScope() { of_thread = outer_; }

}  // namespace tscatter::app
