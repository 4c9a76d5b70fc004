import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { toJsonLine } from '../../../../bin/command/output.ts'
import type { LoadProgress } from '../../../../loader/publish/load-request.ts'
import { describeSource } from '../../../../loader/publish/sources/describe-source.ts'
import { refuseFile } from '../../../../loader/publish/sources/file-faults.ts'
import { describeLost, describeReport, type LoadReport } from '../../../../loader/run/load-report.ts'
import type { EncodedFile } from '../../../../loader/write/encode-file.ts'
import { at } from '../../../../schema/at.ts'
import type { WarehouseUnit } from '../../../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../../../schema/printable-error.ts'
import { buildFile } from '../../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../../builders/table-of-contents-builder.ts'
import { testMachine } from '../../../builders/test-machine.ts'
import { createTestWarehouse, type TestWarehouse } from '../../../builders/test-warehouse.ts'

/** Writes a table of contents with a sound plan, and one whose file or entry is hostile. */
async function writeContents(
  warehouse: TestWarehouse,
  hostile: string | Uint8Array | object,
  location = 'https://a.example/hostile.json',
) {
  await warehouse.write('sound.json', buildFile())
  await warehouse.write('hostile.json', hostile)
  return warehouse.write(
    'toc.json',
    buildTableOfContents(
      { plans: [buildPlan('Hostile')], files: [location] },
      { plans: [buildPlan('Sound')], files: ['https://a.example/sound.json'] },
    ),
  )
}

const fieldsOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 0]))

const pointingTo = (location: string) => buildFile({ provider_references: [{ provider_group_id: 1, location }] })

describe('a load with a hostile file', () => {
  it.each([
    ['has too many fields in its root', buildFile(fieldsOf(10_001)), 'the file has more than 10000 fields'],
    [
      'has a long text in its root',
      buildFile({ reporting_entity_name: 'a'.repeat(10_000) }),
      'reporting_entity_name is longer',
    ],
    [
      'points to a long address',
      pointingTo(`https://a.example/${'a'.repeat(2048)}`),
      'must have at most 2048 characters',
    ],
    [
      'points to a long URL',
      pointingTo(`https://a.example/?sig=${'a'.repeat(9000)}`),
      'must have at most 8192 characters',
    ],
  ])('refuses the file by name and leaves out its plan, if it %s', async (_title, hostile, fault) => {
    await using warehouse = await createTestWarehouse()
    const toc = await writeContents(warehouse, hostile)
    const { leftOut, switched } = await warehouse.load({ toc, files: [] })
    expect(switched.map(({ plan }) => plan)).toContain('Sound')
    expect(leftOut).toEqual([expect.objectContaining({ name: 'Blue Harbor Health / Hostile (HIOS 0123456789)' })])
    expect(leftOut[0]?.reason).toContain('hostile.json: ')
    expect(leftOut[0]?.reason).toContain(fault)
  })

  const many = '{},'.repeat(3_000_000)

  it.each([
    ['in an item', `{"in_network":[{"x":[${many}{}]}]}`, 'in_network[0].x is longer than 8388608 bytes'],
    ['in a rate', `{"in_network":[{"negotiated_rates":[{"x":[${many}{}]}]}]}`, 'has too many parts'],
    ['around its values', `{"in_network":[${' '.repeat(110_000_000)}]}`, 'unpacks to more than 200 times its size'],
  ])('refuses the file if it unpacks to much %s', async (_title, hostile, fault) => {
    await using warehouse = await createTestWarehouse()
    const toc = await writeContents(warehouse, gzipSync(hostile))
    const { leftOut, switched } = await warehouse.load({ toc, files: [] })
    expect(switched.map(({ plan }) => plan)).toContain('Sound')
    expect(leftOut.map(({ reason }) => reason)).toEqual([expect.stringContaining(fault)])
  })

  it('leaves the file out with its entry if the entry has too many parts', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('sound.json', buildFile())
    const entry = {
      reporting_plans: [buildPlan('Sound')],
      in_network_files: [{ location: 'https://a.example/sound.json' }],
    }
    const hostile = `{"reporting_plans":[{"plan_name":[${many}{}]}]}`
    const text = `{"reporting_entity_name":"A","reporting_structure":[${hostile},${JSON.stringify(entry)}]}`
    const { leftOut, switched } = await warehouse.load({ toc: await warehouse.write('toc.json', text), files: [] })
    expect(switched.map(({ plan }) => plan)).toContain('Sound')
    expect(leftOut.map(({ reason }) => reason)).toEqual([expect.stringContaining('has too many parts')])
  })

  it('leaves the file out with its plan if its URL is too long for a table of contents', async () => {
    await using warehouse = await createTestWarehouse()
    const toc = await writeContents(warehouse, buildFile(), `https://a.example/${'a'.repeat(500_000)}`)
    const { leftOut, switched } = await warehouse.load({ toc, files: [] })
    expect(switched.map(({ plan }) => plan)).toContain('Sound')
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      'reporting_structure[0].in_network_files[0].location must have at most 8192 characters',
    ])
  })

  it('refuses only the file by name if an index is out of range while it is read', async () => {
    await using warehouse = await createTestWarehouse()
    const toc = await writeContents(warehouse, buildFile())
    let isHostile = false
    const machine = { ...testMachine(), cpuSeconds: () => (isHostile ? at([0], 1) : 0) }
    const onProgress = (progress: LoadProgress) => {
      if (progress.step === 'reading') isHostile = progress.file.includes('hostile')
    }
    const report = await warehouse.load({ toc, files: [] }, { machine, onProgress })
    expect(report.refused).toEqual([
      {
        name: expect.stringContaining('hostile.json'),
        reason: expect.stringContaining('unexpected error: RangeError: index 1 is outside a list of length 1'),
      },
    ])
    expect(report.switched.map(({ plan }) => plan)).toContain('Sound')
    expect(await warehouse.listWorkspaces()).toEqual([])
  })

  it('refuses the file by name if anything unexpected is thrown while it is recorded, and goes on', async () => {
    await using warehouse = await createTestWarehouse()
    const toc = await writeContents(warehouse, buildFile())
    let published = 0
    const openWorkspace: typeof warehouse.folder.openWorkspace = async (unit) => {
      const workspace = await warehouse.folder.openWorkspace(unit)
      const publish = async () => {
        if (published++ === 0) throw new RangeError('Set maximum size exceeded')
        return workspace.publish()
      }
      return { ...workspace, publish }
    }
    const report = await warehouse.load({ toc, files: [] }, { warehouse: { ...warehouse.folder, openWorkspace } })
    expect(report.leftOut.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/hostile\.json: cannot be loaded for an unexpected error: RangeError: Set maximum size/),
    ])
    expect(report.switched.map(({ plan }) => plan)).toContain('Sound')
    expect(await warehouse.listWorkspaces()).toEqual([])
  })

  it('reports each broken file by name and reason, however many a plan has', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('cut.json', '{"in_network": [')
    await warehouse.write('page.json', '<!DOCTYPE html><title>Log in</title>')
    await warehouse.write('packed-page.json', gzipSync('\n<html>'))
    await warehouse.write('odd.json', buildFile({ in_network: [{}, {}] }))
    await warehouse.write('sound.json', buildFile())
    const names = ['cut', 'page', 'packed-page', 'odd'].map((name) => `https://a.example/${name}.json`)
    const broken = { plans: [buildPlan('Broken')], files: names }
    const sound = { plans: [buildPlan('Sound')], files: ['https://a.example/sound.json'] }
    const toc = await warehouse.write('toc.json', buildTableOfContents(broken, sound))
    const report = await warehouse.load({ toc, files: [] })
    const reasons = report.refused.map(({ name, reason }) => [name.replace(/.*\//, ''), reason])
    expect(reasons).toEqual([
      ['cut.json', expect.stringContaining('is cut short')],
      ['page.json', 'is XML or a web page, not JSON: a login may have expired, or a proxy have answered'],
      ['packed-page.json', 'is XML or a web page, not JSON: a login may have expired, or a proxy have answered'],
      ['odd.json', expect.stringContaining('more than --max-skipped allows')],
    ])
    expect(describeReport(report)).toContain('Refused: 4 files')
    const record = await warehouse.records.read(report.loadId)
    expect(record?.refused).toHaveLength(4)
    const failed = await warehouse.load({ toc, files: [], maxFailed: 0 }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ refused: report.refused })
  })

  it('reports broken files once if nobody knows their plans', async () => {
    await using warehouse = await createTestWarehouse()
    const paths = [await warehouse.write('a.json', '{'), await warehouse.write('b.json', '{')]
    const failed = await warehouse.load({ files: paths, partial: true }).catch((error: LoadReport) => error)
    expect(failed.leftOut).toHaveLength(2)
    expect(describeLost(failed)).toEqual(['Refused: 2 files', ...paths.map((path) => expect.stringContaining(path))])
  })

  it('prints no control of a terminal or of the direction of writing', async () => {
    await using warehouse = await createTestWarehouse()
    const name = 'bad\u001b]0;pwned\u0007\u009b2J\u202e'
    const text = JSON.stringify({ [name]: 'x', ...buildFile() }).replace('"x"', '"\u00ff"')
    const toc = await writeContents(warehouse, Buffer.from(text, 'latin1'))
    const file = JSON.parse(JSON.stringify(buildTableOfContents({ plans: [buildPlan(name)], files: [] })))
    const report = await warehouse.load({ toc, files: [] })
    const other = await warehouse.write('other.json', file)
    const failed = await warehouse.load({ toc: other, files: [] }).catch((error: LoadReport) => error)
    const printed = [
      describeReport(report),
      toJsonLine({ ...report }),
      ...describeLost(failed),
      toJsonLine({ ...failed }),
    ]
    for (const each of printed) expect(each.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(printed.join()).toContain('pwned')
  })
})

describe('a source', () => {
  it('fits into one item of DynamoDB, however long the addresses in its file are', () => {
    const references = Array.from({ length: 500 }, (_, index) => ({
      identity: `https://a.example/${'a'.repeat(1000)}/${index}`,
      contentHash: '0'.repeat(64),
    }))
    const encoded = { references, header: {}, findings: [], packedHash: 'hash' } as unknown as EncodedFile
    const source = describeSource(encoded)
    expect(JSON.stringify(source).length).toBeLessThan(300_000)
    expect(source.etag).toBeUndefined()
  })
})

it('ends a load on a full disk with the name of its folder and the next step', async () => {
  await using warehouse = await createTestWarehouse()
  const fileOf = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  const folder = {
    ...warehouse.folder,
    openWorkspace: async (unit: WarehouseUnit) => ({ ...(await warehouse.folder.openWorkspace(unit)), fileOf }),
  }
  const files = [await warehouse.write('a.json', buildFile({}))]
  await expect(warehouse.load({ files }, { warehouse: folder })).rejects.toThrow(
    /^the disk of .*\.workspaces is full\. What was active stays active, and files that were read are kept: make room/,
  )
  const [record] = await warehouse.records.list()
  expect(record).toMatchObject({ state: 'failed', reason: expect.stringContaining('is full') })
  expect(await warehouse.listWorkspaces()).toEqual([])
})

describe('an error while a file is read', () => {
  const coded = (code: string) => Object.assign(new Error('failed'), { code })
  const ofService = (name: string) => Object.assign(new Error('failed'), { name, $metadata: {} })
  class Stopped extends PrintableError {}

  it.each([
    ['a mistake in the loader', new TypeError('x is undefined')],
    ['a limit of the engine', new RangeError('Invalid string length')],
    ['a library', coded('ERR_INVALID_ARG_VALUE')],
    ['an item that a service rejects for its content', ofService('ValidationException')],
  ])('refuses the file if it comes from %s', (_title, error) => {
    expect(refuseFile(error, 'rates.json', undefined).message).toMatch(
      /^rates\.json: cannot be loaded for an unexpected/,
    )
  })

  it.each([
    ['the disk', coded('ENOSPC')],
    ['rights', coded('EACCES')],
    ['the network of a service', coded('ECONNREFUSED')],
    ['a service', ofService('ProvisionedThroughputExceededException')],
    ['memory', new RangeError('Array buffer allocation failed')],
    ['a fault that an operator must fix', new Stopped('stopped')],
  ])('ends the load if it comes from %s', (_title, error) => {
    expect(() => refuseFile(error, 'rates.json', undefined)).toThrow(error)
  })

  it('ends the load if the load was stopped', () => {
    const error = new Error('stopped')
    expect(() => refuseFile(error, 'rates.json', AbortSignal.abort(error))).toThrow(error)
  })
})
