// What makes each shell complete: it asks the hidden command `complete`, which gets the words up to the cursor, for candidates.
// Where there are none, it completes file names. The program is asked by the name that was typed.

/** bash splits words at `=`, so they are put together first, and candidates are cut to what follows it. bash 3.2 of macOS knows no mapfile. */
const BASH = `_sandbox_completion() {
  local word last glued= current="\${COMP_WORDS[COMP_CWORD]}" i candidate
  local -a words
  words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((\${#words[@]} > 0)) && [[ -n $glued || $word == "=" ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    glued=
    if [[ $word == "=" ]]; then glued=1; fi
  done
  if [[ $current == "=" ]]; then current=; fi
  last="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ $candidate == *= ]]; then compopt -o nospace 2>/dev/null; fi
    COMPREPLY+=("\${candidate:\${#last}-\${#current}}")
  done < <("\${COMP_WORDS[0]}" complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _sandbox_completion sandbox experience-sandbox`;

/** Candidates that end with `=` get no blank behind them, so they are offered apart. */
const ZSH = `#compdef sandbox experience-sandbox
_sandbox() {
  local -a found closed open
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  closed=(\${found:#*=})
  open=(\${(M)found:#*=})
  if (($#closed + $#open == 0)); then
    _files
    return
  fi
  compadd -- $closed
  compadd -S '' -- $open
}
if [[ $funcstack[1] == _sandbox ]]; then
  _sandbox "$@"
else
  compdef _sandbox sandbox experience-sandbox
fi`;

/** Raw, since fish has backslashes of its own. */
const FISH = String.raw`function __sandbox_completion
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found ($program complete -- $words "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c sandbox -f -a '(__sandbox_completion)'
complete -c experience-sandbox -f -a '(__sandbox_completion)'`;

/** Windows PowerShell drops empty arguments: `""` stands for one. */
const POWERSHELL = `Register-ArgumentCompleter -Native -CommandName sandbox, experience-sandbox -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $elements = @($commandAst.CommandElements)
  $program = $elements[0].Extent.Text
  $words = @($elements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  $words += if ($wordToComplete) { $wordToComplete } else { '""' }
  & $program complete '--' @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

/** In the order of the help. */
export const COMPLETED_SHELLS = Object.keys(SCRIPTS);

/** Empty for a shell that is not in the list, which the command has refused before. */
export function scriptFor(shell: string): string {
  return SCRIPTS[shell] ?? "";
}
