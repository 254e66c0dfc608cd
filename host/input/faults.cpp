#include "host/input/faults.h"

namespace intervox::host {

void Faults::Throw() const {
  if (messages_.empty()) return;
  if (messages_.size() == 1) throw InputError(messages_.front());
  std::string text;
  for (std::size_t i = 0; i < messages_.size() && i < kMostFaults; ++i) {
    text += messages_[i] + '\n';
  }
  text += std::to_string(messages_.size()) + " faults";
  if (messages_.size() > kMostFaults) {
    text += ", of which " + std::to_string(kMostFaults) + " are listed";
  }
  throw InputError(text + "; nothing was computed. Mend them and run again.");
}

}  // namespace intervox::host
