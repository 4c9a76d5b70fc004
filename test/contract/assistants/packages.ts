import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Programs of the protocol's authors, which npm fetches when they are run: nobody else needs their packages. */
const packages = {
  conformance: '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  'mcp-inspector': '@modelcontextprotocol/inspector@2.12.0',
} as const

export type ProgramName = keyof typeof packages

/** The end of a program. */
export interface ProgramEnd {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

/** Longest run of a program in milliseconds, its download included. */
const maxRunMs = 300_000

/**
 * Runs a program, which npm fetches unless it has it.
 *
 * @param folder its working directory, and the home in which it keeps files
 */
export function runProgram(name: ProgramName, args: readonly string[], folder: string): Promise<ProgramEnd> {
  const { env } = process
  const cache = env['npm_config_cache'] ?? join(homedir(), '.npm')
  return new Promise((resolve) => {
    execFile(
      'npm',
      ['exec', '--yes', `--package=${packages[name]}`, '--', name, ...args],
      {
        cwd: folder,
        env: { ...env, HOME: folder, npm_config_cache: cache, NO_COLOR: '1' },
        timeout: maxRunMs,
        maxBuffer: 1 << 26,
      },
      (error, output, errors) => {
        const exitCode = typeof error?.code === 'number' ? error.code : 1
        resolve({ exitCode: error === null ? 0 : exitCode, output, errors })
      },
    )
  })
}

/** Fetches a program. @returns undefined if it can be run, else a sentence that says why not */
export async function fetchProgram(name: ProgramName, folder: string): Promise<string | undefined> {
  const { exitCode, errors } = await runProgram(name, ['--version'], folder)
  if (exitCode === 0) return undefined
  const [, code = `exit code ${exitCode}`] = /npm error code (\w+)/.exec(errors) ?? []
  return `npm cannot run ${packages[name]} (${code}).`
}
