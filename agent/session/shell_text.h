/* shell_text - the integration texts that make shells drivable, as data.
 * Needs:  the files agent/shell_*.sh at build time.
 * Owns:   nothing.
 * Never:  interprets them. */
#ifndef AGENT_SESSION_SHELL_TEXT_H
#define AGENT_SESSION_SHELL_TEXT_H

extern const char shell_text_bash[], shell_text_zsh[], shell_text_sh[];

#endif
