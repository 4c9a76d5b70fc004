import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleFunction, bundleFunctions } from '../lib/functions/function-code.ts'
import { variables } from '../schema/environment.ts'
import { functionNames } from '../schema/function-names.ts'

const runs = 15

interface Candidate {
  readonly name: string
  readonly file: string
}

/** The cost of a bare function: an empty one, and SDK clients without our code. */
const baselines: Readonly<Record<string, string>> = {
  'empty handler': 'export const handler = async () => ({})',
  'bare DynamoDB client':
    "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'\nexport const handler = async () => new DynamoDBClient({})",
  'bare S3 client':
    "import { S3Client } from '@aws-sdk/client-s3'\nexport const handler = async () => new S3Client({})",
}

/** Prints the size of each bundle, and its import time in a fresh process compared with an empty handler. */
export async function benchBundles(): Promise<void> {
  const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.bench-'))
  try {
    const candidates = [...bundleBaselines(folder), ...listFunctions()]
    const times = new Map<string, number[]>(candidates.map(({ name }) => [name, []]))
    // Interleaved, so that a slow moment of the machine affects all candidates.
    for (let run = 0; run < runs; run++) {
      for (const { name, file } of candidates) times.get(name)?.push(timeImport(file))
    }
    const empty = median(times.get('empty handler') ?? [])
    process.stdout.write(
      `${'bundle'.padEnd(24)}${'bytes'.padStart(10)}${'import ms'.padStart(12)}${'ratio to empty'.padStart(16)}\n`,
    )
    for (const { name, file } of candidates) {
      const time = median(times.get(name) ?? [])
      const cells = [
        String(statSync(file).size).padStart(10),
        time.toFixed(1).padStart(12),
        (time / empty).toFixed(2).padStart(16),
      ]
      process.stdout.write(`${name.padEnd(24)}${cells.join('')}\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function listFunctions(): readonly Candidate[] {
  const bundles = bundleFunctions()
  return functionNames.map((name) => ({ name, file: join(bundles, name, 'index.mjs') }))
}

function bundleBaselines(folder: string): readonly Candidate[] {
  return Object.entries(baselines).map(([name, source], index) => {
    const entry = join(folder, `${index}.ts`)
    const file = join(folder, `${index}.mjs`)
    writeFileSync(entry, source)
    bundleFunction(entry, file, {})
    return { name, file }
  })
}

/** Milliseconds of only the import, in a fresh process. */
function timeImport(file: string): number {
  const script = `const start = performance.now(); await import(${JSON.stringify(file)}); process.stdout.write(String(performance.now() - start))`
  const values = Object.fromEntries(Object.keys(variables).map((name) => [name, '1']))
  const env = { ...values, FEE_SCHEDULES: 'loads', AWS_REGION: 'us-east-1' }
  return Number(
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, cwd: tmpdir() }).stdout.toString(),
  )
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
