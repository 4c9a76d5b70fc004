import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startAthena } from '../../../local/athena/server.ts'

it('clears the query files that a killed engine left in its scratch folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'killed-engine-'))
  const scratchFolder = join(folder, 'athena')
  mkdirSync(join(scratchFolder, 'run'), { recursive: true })
  writeFileSync(join(scratchFolder, 'run', 'rows.parquet'), 'half a file')
  const objects = { putObject: async () => {}, isEmptyPrefix: async () => true, readText: async () => undefined }
  const warehouseFolder = join(folder, 'warehouse')
  const athena = await startAthena({
    warehouseFolder,
    objects,
    scratchFolder,
    now: () => new Date(),
    newId: () => 'an id',
  })
  expect(existsSync(join(scratchFolder, 'run'))).toBe(false)
  expect(existsSync(scratchFolder)).toBe(true)
  await athena.close()
  expect(existsSync(scratchFolder)).toBe(false)
  rmSync(folder, { recursive: true })
})
