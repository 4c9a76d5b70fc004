import { readFileSync } from 'node:fs'

/**
 * Tells the processes apart that have had a number one after the other: containers give the same few numbers at every
 * start.
 *
 * @returns text that no other process of this machine ever has; '' of one that has ended and is still listed; undefined
 *   where the system does not say (it is Linux's `/proc`), or there is no such process
 */
export function readProcessLife(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Source: proc_pid_stat(5). The second field is the command in brackets and may hold anything, also brackets.
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
