import { readFileSync } from 'node:fs'

/**
 * Distinguishes processes that have used the same number: containers reuse the same few numbers at every start.
 *
 * @returns a text unique to this process; '' if it has ended but is still listed; undefined if there is no such
 *   process, or no `/proc` (which only Linux has)
 */
export function readProcessLife(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Source: proc_pid_stat(5). The second field is the command in parentheses, and may itself contain parentheses.
    const [state = '', ...later] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return ''
    const startedAt = later[startTimeField - stateField - 1]
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startedAt}`
  } catch {
    return undefined
  }
}

const stateField = 3
/** In clock ticks since the machine started. */
const startTimeField = 22
