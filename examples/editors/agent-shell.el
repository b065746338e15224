;;; Emacs, agent-shell: the first word is the program, the rest its arguments. -*- lexical-binding: t; -*-

(with-eval-after-load 'agent-shell
  (setq agent-shell-anthropic-claude-acp-command
        '("skillgraft" "run" "--" "claude-agent-acp"))
  (setq agent-shell-openai-codex-acp-command
        '("skillgraft" "run" "--" "codex-acp")))
