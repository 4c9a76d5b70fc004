import { openOutput } from '../../../client/command-line/printable.ts'
import type { World } from '../../../client/command-line/world.ts'

/** A command line's world whose output is kept, and whose time stands still. */
export interface TestWorld extends World {
  /** The text that was written to standard output and to standard error. */
  readonly written: { output: string; errors: string }
  /** Lets as much time pass as every repeated call waits for. */
  readonly tick: () => void
}

export function makeWorld(
  given: { readonly input?: string; readonly isTTY?: boolean; readonly environment?: World['environment'] } = {},
): TestWorld {
  const written = { output: '', errors: '' }
  const calls: (() => void)[] = []
  const write = (to: keyof typeof written, text: string) => {
    written[to] += text
  }
  return {
    written,
    tick: () => {
      for (const call of calls) call()
    },
    environment: given.environment ?? {},
    input: (async function* () {
      yield Buffer.from(given.input ?? '')
    })(),
    output: openOutput({ write: (text) => write('output', text) }),
    errors: openOutput({ isTTY: given.isTTY ?? false, columns: 60, write: (text) => write('errors', text) }),
    signal: new AbortController().signal,
    newId: () => 'id',
    now: () => 0,
    today: () => new Date('2026-11-22T00:00:00Z'),
    repeat: (_, call) => {
      calls.push(call)
      return { stop: () => calls.splice(calls.indexOf(call), 1) }
    },
    home: '/nowhere',
    platform: 'linux',
  }
}
