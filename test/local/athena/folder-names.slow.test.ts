import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { loadNppes } from '../../../loader/nppes/load-nppes.ts'
import { loadSpecialties } from '../../../loader/nppes/load-specialties.ts'
import { openPlainPaths } from '../../../loader/nppes/plain-paths.ts'
import { writeNppes } from '../../../local/samples/generator/nppes-layout.ts'
import { specialtiesPath } from '../../../local/samples/sample-data.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { nppesLine } from '../../loader/nppes/nppes-builder.ts'
import { openAthena, unloadOf } from './test-athena.ts'
import { loadSource, readColumn } from './warehouse-fixture.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'names-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

describe.each([
  ...['a b', 'a#b', 'a?b', '100%41', 'a*b', 'a[b', '[b]', 'a\\b', 'a\\[b]', '\\*?[', '{a},b', "it's", '"', '~', '-a'],
  ...['npi=1', 'bucket=7/npi=1/back\\slash\nline', 's3:', 'file:', 'ü😀', 'e\u0301', '\u0001\u007f', 'x'.repeat(255)],
  'my rates #1? 100% \\ [a]{b},ü😀',
])('DuckDB in a folder named %j', (name) => {
  /** Makes the folder, and puts into it what tests put into temporary folders. */
  async function work(): Promise<void> {
    const path = join(folder, name)
    await mkdir(path, { recursive: true })
    vi.stubEnv('TMPDIR', path)
  }

  it('reads the rates of its warehouse, and stores results', async () => {
    await work()
    const athena = await openAthena()
    try {
      await loadSource(athena.warehouseFolder, { sourceId: 's1', npis: 2 })
      const addresses = await athena.unload(unloadOf('SELECT npi FROM rates WHERE npi = 1000000001'))
      const paths = addresses.map((address) => athena.objects.pathOf(address))
      await using plainPaths = openPlainPaths()
      expect(await readColumn(await Promise.all(paths.map(plainPaths.of)), 'npi')).toEqual(['1000000001'])
    } finally {
      await athena.close()
    }
  })

  it('makes tables of NPPES and of specialties', async () => {
    await work()
    await using warehouse = await createTestWarehouse()
    const { contents } = warehouse
    const deps = { warehouse: warehouse.folder, newId: () => 'n1' }
    const path = await warehouse.write(
      'npidata_pfile_20050523-20261109.csv',
      writeNppes([nppesLine({ npi: '1000000000' })]),
    )
    expect(await loadNppes({ path }, { ...deps, contents, now: () => new Date() })).toMatchObject({ rows: 1 })
    const writeSpecialties = async () => undefined
    expect(await loadSpecialties(specialtiesPath, { ...deps, specialties: { writeSpecialties } })).toBeGreaterThan(0)
  })
})
