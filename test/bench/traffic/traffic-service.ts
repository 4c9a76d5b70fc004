import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import type { TrafficMessage } from './traffic-run.ts'

/** A service in a separate process, with a key for each organization. */
export interface TrafficService extends AsyncDisposable {
  readonly baseUrl: string
  readonly keys: readonly string[]
  /** Resident memory of the service's process: functions, endpoints, DuckDB. */
  readMegabytes(): Promise<number>
}

export async function startTrafficService(organizations: number): Promise<TrafficService> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-traffic-'))
  const script = join(import.meta.dirname, 'traffic-run.ts')
  const child = fork(script, [folder, String(organizations)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  // Both ends of the channel are our own scripts.
  const next = async () => (await once(child, 'message'))[0] as TrafficMessage
  const ended = once(child, 'exit').then(() => {
    throw new CommandFailed('the service under test ended unexpectedly')
  })
  ended.catch(() => {})
  const close = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const message = await Promise.race([next(), ended])
  if (!('ready' in message)) throw new TypeError('the service under test sent a message before it was ready')
  return {
    ...message.ready,
    readMegabytes: async () => {
      const answer = next()
      child.send('memory')
      const firstMessage = await Promise.race([answer, ended])
      return 'rssBytes' in firstMessage ? Math.round(firstMessage.rssBytes / 1e6) : Number.NaN
    },
    [Symbol.asyncDispose]: close,
  }
}
