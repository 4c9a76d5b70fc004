import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { service } from '../client.ts'

/** Folder of the checkout. */
export const root: string = join(import.meta.dirname, '../../..')

const readText = (path: string) => readFileSync(join(root, path), 'utf8')

/** A fenced piece of code; the word behind its language names it, or the libraries that it imports. */
export interface Snippet {
  readonly language: string
  readonly name: string
  readonly code: string
}

/** Returns the fenced pieces of code of a document, in order. */
export const readSnippets = (path: string): readonly Snippet[] =>
  [...readText(path).matchAll(/^```(\w*)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, language = '', name = '', code = '']): Snippet => ({ language, name, code }),
  )

/** A terminal in a folder of its own, in which the commands of a checkout and the service's address and key are set. */
export interface Session extends AsyncDisposable {
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Runs lines of bash until one fails. @returns standard output and error as a terminal shows them */
  bash(code: string): Promise<string>
}

/** Opens a session on the service under test. */
export async function openSession(): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), 'session-'))
  const commands = await mkdtemp(join(tmpdir(), 'session-commands-'))
  await writeFile(join(commands, 'npm'), npmStandIn())
  await chmod(join(commands, 'npm'), 0o755)
  const environment = {
    ...process.env,
    PATH: [commands, process.env['PATH']].join(delimiter),
    RATE_SEARCH_URL: service.baseUrl,
    RATE_SEARCH_KEY: service.keys[0],
    RATE_SEARCH_STATE: join(folder, 'state'),
  }
  return {
    folder,
    environment,
    async bash(code) {
      const options = { cwd: folder, env: environment, maxBuffer: 2 ** 26 }
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${code}`], options)
      return stdout
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([folder, commands].map((path) => rm(path, { recursive: true })))
    },
  }
}

/** Script that runs the checkout's command-line scripts as `npm run` does, but in the folder of the session. */
function npmStandIn(): string {
  const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(readText('package.json'))
  const cases = Object.entries(scripts).flatMap(([name, script]) => {
    const [, fixed] = /client\/cli\/main\.ts(.*)$/.exec(script) ?? []
    return fixed === undefined ? [] : [`  ${name}) set --${fixed} "$@" ;;`]
  })
  return `#!/usr/bin/env bash
[ "$1" = run ] || { echo "npm $1 is not part of a session" >&2; exit 64; }
for word in "$@"; do
  shift
  case $word in --) break ;; run | --silent) ;; *) script=$word ;; esac
done
case $script in
${cases.join('\n')}
  *) echo "npm run $script is not part of a session" >&2; exit 64 ;;
esac
exec '${process.execPath}' '${join(root, 'client/cli/main.ts')}' "$@"
`
}
