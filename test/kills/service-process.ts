import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a started service says of itself. */
export interface Ready {
  readonly baseUrl: string
  readonly apiKey: string
}

/** `npm start` in a process of its own, which can be killed. */
export interface ServiceProcess {
  /** @throws ServiceEnded where it ends before it is ready */
  readonly ready: Promise<Ready>
  /** Ends the one process, without a word to it, and returns when it is gone. Its own children go on, as they would. */
  kill(): Promise<void>
  /** Ctrl-C; after some patience the end of it and of its children. */
  stop(): Promise<void>
}

/** The service ended by itself: after a kill the next start must come up. */
export class ServiceEnded extends Error {
  override readonly name = 'ServiceEnded'
}

/** How long the service may take to end when it is told to: what it runs is stopped, not waited for. */
const longestStopMs = 20_000

const root = join(import.meta.dirname, '..', '..')

/**
 * Starts the local service on a data folder and a free port.
 *
 * @param handsOver whether start-query hands its query over to await-query at once, instead of waiting for it
 */
export function startServiceProcess(dataFolder: string, handsOver = false): ServiceProcess {
  const command = handsOver ? ['test/kills/start-handing-over.ts'] : ['bin/start.ts', '--port', '0', '--json', '--data']
  const child = spawn(process.execPath, [...command, dataFolder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: it can be ended with its children, and Ctrl-C in the terminal is ours alone.
    detached: true,
  })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk
  })
  const exited = once(child, 'exit')
  const line = once(createInterface(child.stdout), 'line')
  const ready = Promise.race([line, exited.then(() => undefined)]).then((said) => {
    if (said === undefined) throw new ServiceEnded(`the service ended before it was ready: ${complaints.trim()}`)
    return readReady(String(said[0]))
  })
  // Who kills it before it is ready does not ask.
  ready.catch(() => {})
  const stop = async () => {
    if (isRunning(child)) child.kill('SIGINT')
    await Promise.race([exited, sleep(longestStopMs, undefined, { ref: false })])
    endGroup(child)
    await exited
  }
  return {
    ready,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop,
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

function readReady(line: string): Ready {
  const { base_url: baseUrl, organizations }: { base_url: string; organizations: { api_key: string }[] } =
    JSON.parse(line)
  return { baseUrl, apiKey: organizations[0]?.api_key ?? '' }
}

/** A start that was killed may have left the synthesis running. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // There is nobody left in it.
  }
}
