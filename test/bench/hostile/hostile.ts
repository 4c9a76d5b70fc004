import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { formatList } from '../../../bin/command/table.ts'
import { readOptions } from '../../../client/command-line/parse-options.ts'
import { heapArguments } from '../../../loader/publish/workers/file-workers.ts'
import { type HostileKind, hostileKinds } from './hostile-files.ts'

/** The measurements of one run in a separate process. */
interface HostileMeasure {
  /** Of processor time. */
  readonly seconds: number
  /** Bytes. */
  readonly peak: number
}

const megabyte = 1e6

/** Prints the cost of hostile files beside honest ones of the same size, and how it grows when both are doubled. */
export async function benchHostile(args: readonly string[]): Promise<void> {
  readOptions({ args: [...args], options: {} })
  const folder = await mkdtemp(join(tmpdir(), 'bench-hostile-'))
  try {
    const rows: Awaited<ReturnType<typeof measureKind>>[] = []
    for (const kind of hostileKinds) rows.push(await measureKind(kind, folder))
    process.stdout.write(`${formatList(rows, '')}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureKind(kind: HostileKind, folder: string) {
  const measure = (factor: number, isHostile: boolean) => measureFile(kind, kind.parts * factor, isHostile, folder)
  const [hostile, honest] = [await measure(1, true), await measure(1, false)]
  const [doubled, honestDoubled] = [await measure(2, true), await measure(2, false)]
  return {
    file: kind.what,
    'CPU s': doubled.seconds.toFixed(2),
    'honest CPU s': honestDoubled.seconds.toFixed(2),
    ratio: (doubled.seconds / honestDoubled.seconds).toFixed(1),
    'when doubled': (doubled.seconds / hostile.seconds).toFixed(1),
    'honest when doubled': (honestDoubled.seconds / honest.seconds).toFixed(1),
    'peak MB': Math.round(doubled.peak / megabyte),
    'honest peak MB': Math.round(honestDoubled.peak / megabyte),
  }
}

async function measureFile(kind: HostileKind, parts: number, isHostile: boolean, folder: string) {
  const work = join(folder, 'work')
  const file = join(folder, 'file.json')
  await mkdir(work)
  await pipeline(Readable.from(kind.write(parts, isHostile)), createWriteStream(file))
  const script = join(import.meta.dirname, 'hostile-run.ts')
  const run = await promisify(execFile)(process.execPath, [...heapArguments, script, kind.role, file, work])
  await rm(work, { recursive: true, force: true })
  const measured: HostileMeasure = JSON.parse(run.stdout)
  return measured
}
