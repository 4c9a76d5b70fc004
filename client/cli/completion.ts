import { connect, readAccess } from './options.ts'
import { UsageError } from './usage-error.ts'
import type { World } from './world.ts'

/**
 * Scripts that make shells call `rate-search __complete` for completions, one a line. Arguments may contain spaces, as
 * the names of payers and plans do. Without a match, shells complete files.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `_rate_search() {
  local word current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r word; do
    case $current in
      [\\"\\']*) COMPREPLY+=("$word") ;;
      *) COMPREPLY+=("$(printf %q "$word")") ;;
    esac
  done < <(rate-search __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rate_search rate-search
`,
  zsh: `#compdef rate-search
_rate_search() {
  local -a fitting
  fitting=("\${(@f)$(rate-search __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$fitting[1]" ]]; then compadd -- "\${fitting[@]}"; else _files; fi
}
compdef _rate_search rate-search
`,
  fish: `function __rate_search_complete
  set -l fitting (rate-search __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $fitting) -gt 0
    printf '%s\\n' $fitting
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c rate-search -f -a '(__rate_search_complete)'
`,
}

export const completionUsage = `
Prints a script that completes commands, options, payers and plans.

Usage: rate-search completion bash|zsh|fish

Examples:
  source <(rate-search completion bash)                                   # in ~/.bashrc
  source <(rate-search completion zsh)                                    # in ~/.zshrc, after compinit
  rate-search completion fish > ~/.config/fish/completions/rate-search.fish
`

/** @throws UsageError for a shell that has no script */
export function completionScript([shell = '', ...others]: readonly string[]): string {
  const script = scripts[shell]
  if (script === undefined || others.length > 0) throw new UsageError('name one of the shells bash, zsh and fish')
  return script
}

/** A command with the long options that it takes. */
export interface Completable {
  readonly name: string
  readonly usage: string
}

/** Maximum time that a shell waits for completions, in milliseconds. */
const maxWaitMs = 3000

/** Completes the last word of a command line; none if the service does not answer. */
export async function completeWords(
  words: readonly string[],
  commands: readonly Completable[],
  world: World,
): Promise<readonly string[]> {
  const [name = '', ...args] = words.map(unquote)
  const current = args.at(-1)
  const startsSo = (word: string) => word.startsWith(current ?? name)
  if (current === undefined) return commands.map((command) => command.name).filter(startsSo)
  const before = args.at(-2)
  if (before === '--payer' || before === '--plan') {
    const names = await listNames(before, current, args, world)
    return [...new Set(names)].filter(startsSo)
  }
  if (!current.startsWith('-')) return []
  const usage = commands.find((command) => command.name === name)?.usage ?? ''
  return [...new Set(usage.match(/(?<=^ .*)--[a-z-]+/gm))].filter(startsSo)
}

/** Returns what was found in time: a payer may have tens of thousands of plans. */
async function listNames(
  option: '--payer' | '--plan',
  start: string,
  args: readonly string[],
  world: World,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(maxWaitMs)])
  const payer = args.includes('--payer') ? args[args.lastIndexOf('--payer') + 1] : undefined
  const filter = { ...(option === '--plan' && payer !== undefined && { payer }), ...(start !== '' && { q: start }) }
  const names: string[] = []
  try {
    for await (const entry of connect(readAccess(world)).feeSchedules(filter, { signal }))
      names.push(option === '--payer' ? entry.payer : entry.plan)
  } catch {
    // Completions cannot show errors.
  }
  return names
}

/** Bash passes words with their quotes. */
const unquote = (word: string) => word.replace(/^["']|["']$/g, '').replace(/\\(.)/g, '$1')
