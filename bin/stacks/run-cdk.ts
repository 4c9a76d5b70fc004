import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandFailed, Interrupted } from '../../client/command-line/command-errors.ts'

/**
 * Place of the output of the CDK's command: standard error, so that standard output has only the command's own;
 * standard error only if the command fails; or a function that gets each piece.
 */
export type CdkOutput = 'shown' | 'on failure' | ((text: string) => void)

/**
 * Runs the CDK's command. Ctrl-C ends it, and this process goes on, to say what CloudFormation is still doing.
 *
 * @param root the checkout to deploy. @default - this one
 * @throws Interrupted after Ctrl-C; CdkFailed if the CDK fails
 */
export async function runCdk(
  args: readonly string[],
  output: CdkOutput = 'shown',
  root = join(import.meta.dirname, '../..'),
): Promise<void> {
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk')
  const stdio: StdioOptions = output === 'shown' ? ['inherit', process.stderr, 'inherit'] : 'pipe'
  const child = spawn(process.execPath, [cdk, ...args], { cwd: root, stdio })
  let isInterrupted = false
  // A terminal sends Ctrl-C to both processes, and `kill` only to this one.
  const interrupt = () => {
    isInterrupted = true
    child.kill('SIGINT')
  }
  process.on('SIGINT', interrupt)
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      if (typeof output === 'function') output(chunk.toString())
      else chunks.push(chunk)
    })
  const [code, signal] = await once(child, 'close')
  process.off('SIGINT', interrupt)
  if (code === 0) return
  if (isInterrupted || signal === 'SIGINT') throw new Interrupted(`cdk ${args[0]} was stopped by Ctrl-C`)
  process.stderr.write(Buffer.concat(chunks))
  throw new CdkFailed(`cdk ${args[0]} ended ${code === null ? `by ${signal}` : `with exit code ${code}`}`, code)
}

/** The CDK's command has failed. */
export class CdkFailed extends CommandFailed {
  override readonly name = 'CdkFailed'
  readonly code: number | null

  constructor(message: string, code: number | null) {
    super(message)
    this.code = code
  }
}

/** A file with the output of the CDK's command. Only the progress in it is shown. */
export interface CdkLog {
  readonly path: string
  readonly write: (text: string) => void
  /** Describes how far CloudFormation has come. */
  readonly describeProgress: () => string
  /** Returns the last lines, which say why the CDK has failed. */
  readonly readEnd: () => readonly string[]
}

/** Number of lines at the end of a log that are shown after a failure. */
const maxLastLines = 5

/** Starts a log. Each event of CloudFormation counts the complete resources: `SearchService-dev | 67/122 |`. */
export function openCdkLog(path: string): CdkLog {
  let progress = '  preparing'
  return {
    path,
    write: (text) => {
      appendFileSync(path, text)
      const [, done, all] = [...text.matchAll(/\| +(\d+)\/(\d+) \|/g)].at(-1) ?? []
      if (done !== undefined) progress = `  ${done} of ${all} resources`
    },
    describeProgress: () => progress,
    readEnd: () => {
      if (!existsSync(path)) return []
      const lines = readFileSync(path, 'utf8').split('\n')
      return lines.filter((line) => line.trim() !== '').slice(-maxLastLines)
    },
  }
}
