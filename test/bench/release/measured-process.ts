import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'

/** A version of the service: a checkout with its packages. */
export interface Version {
  readonly name: string
  readonly folder: string
}

const manifest = v.object({ scripts: v.record(v.string(), v.string()) })

/** Starts a script of `package.json` as `npm run` does, without npm's own processor time. */
function startScript({ folder }: Version, name: string, args: readonly string[]): ChildProcess {
  const { scripts } = v.parse(manifest, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  const [program, ...words] = scripts[name]?.split(' ') ?? []
  if (program !== 'node') throw new TypeError(`the script ${name} of ${folder} does not start Node`)
  const reporter = join(import.meta.dirname, 'report-usage.ts')
  // Each version keeps its compiled modules where its own users have them.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  return spawn(join(folder, 'node_modules/.bin/node'), ['--import', reporter, ...words, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

/**
 * Runs a script to its end.
 *
 * @returns its output, and its processor time in seconds
 * @throws CommandFailed if it fails
 */
export async function runScript(version: Version, name: string, args: readonly string[]) {
  const child = startScript(version, name, args)
  let seconds = Number.NaN
  child.on('message', (reported) => {
    seconds = Number(reported)
  })
  const { stdout, stderr } = requirePipes(child)
  const [output, complaints] = await Promise.all([text(stdout), text(stderr), once(child, 'exit')])
  if (child.exitCode === 0 && seconds > 0) return { output, seconds }
  throw new CommandFailed(`npm run ${name} of ${version.name} failed: ${complaints}`)
}

/** A running service of a version. */
export interface MeasuredService extends AsyncDisposable {
  readonly baseUrl: string
  /** Reads the processor time since its start, in seconds. */
  readUsage(): Promise<number>
}

/** Starts the service on a data folder. @throws CommandFailed if it ends at once */
export async function startMeasuredService(version: Version, dataFolder: string): Promise<MeasuredService> {
  const child = startScript(version, 'start', ['--port', '0', '--json', '--data', dataFolder])
  const { stdout, stderr } = requirePipes(child)
  const exited = once(child, 'exit')
  const complaints = text(stderr)
  const line = await Promise.race([once(createInterface(stdout), 'line'), exited.then(() => undefined)])
  if (line === undefined) throw new CommandFailed(`npm start of ${version.name} failed: ${await complaints}`)
  const ready = v.parse(v.object({ base_url: v.string() }), JSON.parse(String(line[0])))
  return {
    baseUrl: ready.base_url,
    readUsage: async () => {
      const answer = once(child, 'message')
      child.send('usage')
      return Number((await answer)[0])
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await exited
    },
  }
}

function requirePipes({ stdout, stderr }: ChildProcess) {
  if (stdout === null || stderr === null) throw new TypeError('the process has no pipes')
  return { stdout, stderr }
}
