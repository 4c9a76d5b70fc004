import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceAccess } from '../harness/contract-client.ts'

/** `npm start` in a child process, which can be killed. */
export interface ServiceProcess {
  /** The access that it prints once it is ready. Rejects with ServiceEnded if the process exits before it is ready. */
  readonly ready: Promise<ServiceAccess>
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>
  /** Kills only this process (SIGKILL) and resolves when it is gone. Its children keep running, as after a crash. */
  kill(): Promise<void>
  /** Sends SIGINT; after a grace period kills the process and its children. */
  stop(): Promise<void>
}

/** The service exited on its own, for example because it cannot start after a kill. */
export class ServiceEnded extends Error {
  override readonly name = 'ServiceEnded'
}

/** Longest time until the service stops: it ends what is running and does not wait for it. */
const maxStopMs = 20_000

const root = join(import.meta.dirname, '../..')

/**
 * Starts the local service on a data folder and a free port.
 *
 * @param handsOver true if start-query hands its query over to await-query at once, instead of waiting for it
 */
export function startServiceProcess(dataFolder: string, handsOver = false): ServiceProcess {
  const command = handsOver ? ['test/kills/start-handing-over.ts'] : ['bin/start.ts', '--port', '0', '--json', '--data']
  const child = spawn(process.execPath, [...command, dataFolder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that its children can be killed with it and Ctrl-C reaches only this process.
    detached: true,
  })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk
  })
  const exited = once(child, 'exit')
  const line = once(createInterface(child.stdout), 'line')
  const ready = Promise.race([line, exited.then(() => undefined)]).then((said) => {
    if (said === undefined) throw new ServiceEnded(`the service exited before it was ready: ${complaints.trim()}`)
    return readReady(String(said[0]))
  })
  // A caller that kills the service before it is ready never awaits this.
  ready.catch(() => {})
  const stop = async () => {
    if (isRunning(child)) child.kill('SIGINT')
    await Promise.race([exited, sleep(maxStopMs, undefined, { ref: false })])
    endGroup(child)
    await exited
  }
  return {
    ready,
    ended: exited,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop,
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

function readReady(line: string): ServiceAccess {
  const { base_url: baseUrl, organizations }: { base_url: string; organizations: { api_key: string }[] } =
    JSON.parse(line)
  return { baseUrl, apiKey: organizations[0]?.api_key ?? '' }
}

/** Kills the whole process group: a killed start may have left its synthesis running. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has no processes left.
  }
}
