import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const script = join(import.meta.dirname, 'killed-load.ts')
const items = Array.from({ length: 400 }, (_, index) => buildItem({ billing_code: String(10000 + index) }))

describe('a load that is killed', () => {
  it('leaves one complete load active, whenever it is killed', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [
      await warehouse.write('a.json', buildFile({ in_network: items })),
      await warehouse.write('b.json', buildFile({ in_network: items, version: '2.1.0' })),
    ]
    const root = join(dirname(files[0] ?? ''), 'warehouse')
    for (let kill = 0; kill < 8; kill++) {
      const child = spawn(process.execPath, [script, root, ...files], { stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = once(child, 'exit')
      await once(child.stdout, 'data')
      // A load takes about a fifth of a second, so the delays cover all of it.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400))
      child.kill('SIGKILL')
      await ended
      const entries: readonly (readonly [string, CatalogueEntry])[] = JSON.parse(
        await readFile(`${root}.catalogue.json`, 'utf8'),
      )
      const names = entries.map(([, each]) => each).filter(({ variantOf }) => variantOf !== undefined)
      const rows = await warehouse.readRates(...names)
      expect(rows).toHaveLength(2 * items.length)
      expect(new Set(rows.map((row) => row['source_file']))).toEqual(new Set(['a.json', 'b.json']))
    }
  }, 120_000)
})
