import { UsageError } from '../command-line/command-errors.ts'
import { printable } from '../command-line/printable.ts'
import type { World } from '../command-line/world.ts'
import type { Command } from './command.ts'
import { connect, readAccess } from './options.ts'

/**
 * Scripts that make shells call `rate-search __complete <shell> <word>…` for completions, one a line. Arguments may
 * contain spaces, as the names of payers and plans do. Without a match, shells complete files. Names are a payer's: zsh
 * and fish quote what they insert, and for bash `completeWords` does.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `_rate_search() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(rate-search __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rate_search rate-search
`,
  zsh: `#compdef rate-search
_rate_search() {
  local -a fitting
  fitting=("\${(@f)$(rate-search __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${words[CURRENT]}" 2>/dev/null)}")
  if [[ -n "$fitting[1]" ]]; then compadd -- "\${fitting[@]}"; else _files; fi
}
compdef _rate_search rate-search
`,
  fish: `function __rate_search_complete
  set -l fitting (rate-search __complete fish (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
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

/** Maximum time that a shell waits for completions, in milliseconds. */
const maxWaitMs = 3000

/**
 * Completes the last word of a command line; none if the service does not answer.
 *
 * @param shell `bash` passes words with their quotes and inserts completions unchanged; the other shells remove and add
 *   quotes themselves, and pass only the last word raw
 */
export async function completeWords(
  [shell, ...words]: readonly string[],
  commands: readonly Command[],
  world: World,
): Promise<readonly string[]> {
  const isBash = shell === 'bash'
  const plain = words.map((word, index) => (isBash || index === words.length - 1 ? unquote(word) : word))
  // A name with control characters cannot be printed as it is, so it is not offered.
  const completions = (await findWords(plain, commands, world)).filter((word) => word === printable(word))
  return isBash ? completions.map((word) => quoteForBash(word, words.at(-1)?.[0])) : completions
}

async function findWords(
  [name = '', ...args]: readonly string[],
  commands: readonly Command[],
  world: World,
): Promise<readonly string[]> {
  const current = args.at(-1)
  const isCompletion = (word: string) => word.startsWith(current ?? name)
  if (current === undefined) return commands.map((command) => command.name).filter(isCompletion)
  const option = args.at(-2)
  if (option === '--payer' || option === '--plan') {
    const names = await listNames(option, current, args, world)
    return [...new Set(names)].filter(isCompletion)
  }
  if (!current.startsWith('-')) return []
  const usage = commands.find((command) => command.name === name)?.usage ?? ''
  return optionsIn(usage).filter(isCompletion)
}

/** The options that a help text explains or shows. */
export const optionsIn = (usage: string): readonly string[] => [...new Set(usage.match(/(?<=^ .*)--[a-z-]+/gm))]

/** Returns the names that arrive within `maxWaitMs`: a payer may have tens of thousands of plans. */
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

/** Reads a word of a shell as the shell does; its last quote may be open. */
const unquote = (word: string) =>
  word.replace(
    /'([^']*)'?|"((?:[^"\\]|\\.)*)\\?"?|\\(.)/gs,
    (_, single?: string, double?: string, escaped = '') => single ?? double?.replace(/\\(["$`\\])/g, '$1') ?? escaped,
  )

/**
 * Escapes a name so that bash reads it as one word, continuing the quote with which the word begins. Bash adds the
 * closing quote. A `!` recalls a command even between double quotes, where no backslash helps. Source: Bash Reference
 * Manual, "Quoting".
 */
function quoteForBash(name: string, quote: string | undefined): string {
  if (quote === "'") return name.replaceAll("'", `'\\''`)
  if (quote === '"') return name.replace(/["$`\\]/g, '\\$&').replaceAll('!', `"'!'"`)
  return name.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&')
}
