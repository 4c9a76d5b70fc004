import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Aws, Stack } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { Asset } from 'aws-cdk-lib/aws-s3-assets'
import { Construct } from 'constructs'
import { buildSync } from 'esbuild'
import { at } from '../../schema/at.ts'
import { allow } from '../functions/allow.ts'
import { cacheBundles } from '../functions/bundle-cache.ts'
import { bundling } from '../functions/function-code.ts'
import { describeThirdPartyNotices } from '../functions/third-party-notices.ts'

const root = join(import.meta.dirname, '../..')

/** Folder in which a container puts the code; every user may write there. */
const codeFolder = '/tmp/rate-search'

/** Name of the file of the step program. */
const stepName = 'load-step.mjs'

/** Path of the bundled step program, made once in a process. */
let stepFile: string | undefined

/**
 * The code of the steps: a file in the CDK's asset bucket, made without Docker, so that any machine with Node.js can
 * deploy it (docs/adr/0018). The image's Node.js fetches it when a container starts.
 */
export class StepCode extends Construct {
  private readonly program: Asset
  readonly variables: Readonly<Record<string, string>>

  constructor(scope: Construct, id: string) {
    super(scope, id)
    stepFile ??= join(
      cacheBundles('step', () => dirname(bundleStep())),
      stepName,
    )
    const file = stepFile
    this.program = new Asset(this, 'Program', { path: file })
    const { region } = Stack.of(this)
    this.variables = {
      AWS_REGION: region,
      CODE_FOLDER: codeFolder,
      CODE_URL: `https://s3.${region}.${Aws.URL_SUFFIX}/${this.program.s3BucketName}/`,
      PROGRAM_KEY: this.program.s3ObjectKey,
      PROGRAM_HASH: integrityOf(readFileSync(file)),
    }
  }

  /**
   * Allows a task to fetch step programs. The pattern matches every version, because file names contain hashes: a load
   * that runs during an upgrade still fetches the previous program.
   */
  readonly allowFetching = (task: IGrantable): void =>
    allow(task, ['s3:GetObject'], [this.program.bucket.arnForObjects('*.mjs')])
}

/** Returns the hash of the program, which a container checks. */
export const integrityOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** Returns the command that starts a step in a container. */
export function commandOf(step: string): string[] {
  return ['node', '-e', bundleStarter(), step]
}

/**
 * Bundles the step program into one ES module, with the licences of what it contains at its end.
 *
 * @returns the path of the file, which is deleted when the process exits
 */
export function bundleStep(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rate-search-step-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, stepName)
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ['bin/aws-loads/load-step.ts'],
    outfile: file,
    ...bundling,
    metafile: true,
  })
  const inputs = Object.assign({}, ...Object.values(metafile.outputs).map((output) => output.inputs))
  const notices = describeThirdPartyNotices(root, inputs).replaceAll('*/', '* /')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n/*\n${notices}*/\n`)
  return file
}

let starter: string | undefined

/** Returns the script for `node -e`, which fetches and starts the step program. */
export function bundleStarter(): string {
  starter ??= bundleStarterOnce()
  return starter
}

function bundleStarterOnce(): string {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: ['bin/aws-loads/start-step.ts'],
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    write: false,
    logLevel: 'warning',
  })
  return at(outputFiles, 0).text
}
