/** @file Text from outside made fit for a terminal. */
#pragma once

#include <string>
#include <string_view>

namespace intervox::host {

/** Longest word of a message [bytes]; paths are words. */
inline constexpr std::size_t kMaxWord = 256;
/** Longest message [bytes]. */
inline constexpr std::size_t kMaxMessage = 4096;

/** The text with every byte that is no printable UTF-8 written as \\xNN, line ends and tabs kept:
 what comes from files may not steer a terminal. */
std::string Printable(std::string_view text);

/** The same of a message: words longer than kMaxWord and messages longer than kMaxMessage are cut,
 which an ellipsis shows. */
std::string PrintableMessage(std::string_view text);

}  // namespace intervox::host
