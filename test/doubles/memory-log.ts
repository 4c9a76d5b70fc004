import type { Log } from '../../core/log.ts'

export interface LogLine {
  readonly event: string
  readonly facts: Readonly<Record<string, string | number>>
}

export function createMemoryLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  return { lines, log: (event, facts) => void lines.push({ event, facts }) }
}
