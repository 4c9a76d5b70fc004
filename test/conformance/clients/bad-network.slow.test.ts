import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service } from '../client.ts'
import { gold, largeSearch, silver } from '../samples.ts'
import { openBadNetwork, type Trouble } from './bad-network.ts'
import { runCli } from './run-cli.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bad-network-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Numbers from 0 to 1, the same in each run. Source: Park and Miller, "minimal standard" generator. */
function countedRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

async function hashFiles(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path)).sort()
  const hashes = names.map(async (name) =>
    createHash('sha256')
      .update(await readFile(join(path, name)))
      .digest('hex'),
  )
  return Object.fromEntries((await Promise.all(hashes)).map((hash, index) => [names[index]?.slice(36) ?? '', hash]))
}

describe('rate-search search, killed twenty times in an unreliable network', () => {
  it('ends with the same bytes as undisturbed, creates one job, and requests no byte that is on the disk', async () => {
    const random = countedRandom(7)
    const out = join(folder, 'broken')
    const requests: { start: number; onDisk: number }[] = []
    let child: ChildProcess | undefined
    let bytesUntilKill = 0
    let kills = 0
    const killIf = (isDue: boolean) => {
      if (!isDue || kills >= 20 || child?.killed) return
      kills += 1
      child?.kill('SIGKILL')
    }
    await using network = await openBadNetwork(service.baseUrl, {
      ofCall: (): Trouble => {
        const draw = random()
        killIf(draw < 0.15)
        if (draw < 0.3) return 'refuse'
        return draw < 0.5 ? 'lose the answer' : undefined
      },
      ofFile: (): Trouble => {
        const draw = random()
        if (draw < 0.1) return 'refuse'
        if (draw < 0.2) return 'expire'
        return draw < 0.7 ? { cutAfter: random() * 20_000 } : undefined
      },
      onGet: async ({ name, start }) => {
        requests.push({ start, onDisk: await sizeOf(join(out, `${name}.part`)) })
      },
      onSent: (bytes) => {
        bytesUntilKill -= bytes
        killIf(bytesUntilKill <= 0)
      },
    })
    const environment = {
      RATE_SEARCH_URL: network.baseUrl,
      RATE_SEARCH_KEY: service.keys[1],
      RATE_SEARCH_STATE: join(folder, 'state'),
    }
    const args = [
      ...['search', '--payer', gold.payer, '--plan', gold.plan, '--plan', silver.plan, '--json'],
      ...['--code', largeSearch.billing_codes.join(',')],
    ]
    for (let runs = 0; runs < 60; runs++) {
      bytesUntilKill = random() * 12_000
      const onStart = (started: ChildProcess) => {
        child = started
      }
      const { exitCode } = await runCli([...args, '--out', out], environment, { onStart })
      if (exitCode === 0) break
    }
    // Another search of the same request has the same rows, but not their order.
    // Files of rows are named by the job; the manifest has a sign before it.
    const file = (await readdir(out)).find((name) => name.endsWith('.parquet')) ?? ''
    const jobId = file.slice(0, 36)
    const undisturbed = await runCli(['download', jobId, '--out', join(folder, 'whole')], {
      ...environment,
      RATE_SEARCH_URL: service.baseUrl,
    })
    expect(undisturbed).toMatchObject({ exitCode: 0 })
    expect(kills).toBe(20)
    expect(network.created.size).toBe(1)
    expect(requests.filter(({ start, onDisk }) => start !== onDisk)).toEqual([])
    expect(await hashFiles(out)).toEqual(await hashFiles(join(folder, 'whole')))
    const sizes = await Promise.all((await readdir(out)).map((name) => sizeOf(join(out, name))))
    const sent = network.gets.reduce((sum, get) => sum + get.sent, 0)
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0)
    process.stdout.write(
      `${kills} kills, ${requests.length} requests, ${size} bytes, ${sent - size} sent and lost on the way\n`,
    )
  })
})
