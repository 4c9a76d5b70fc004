import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { LoadRefused } from '../../../fetch/load-refused.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const text = JSON.stringify(buildFile())

const { plan_name: _, ...withoutPlan } = buildFile()

const refusals: readonly (readonly [title: string, content: string | Uint8Array | object, fault: string])[] = [
  ['text that is not JSON', '{"in_network": [x]}', 'is not JSON: a value expected at byte 16 (in_network[0])'],
  [
    'a fault within a group',
    text.replace('"npi":[', '"npi":[,'),
    `a value expected at byte ${text.indexOf('"npi":[') + 7}`,
  ],
  ['a part without comma', text.replace(',"in_network"', ' "in_network"'), 'a comma or } expected at byte'],
  [
    'a missing quote',
    text.replace('"outpatient"', '"outpatient'),
    "is not JSON: expected ',' or '}' after property value at byte",
  ],
  ['something after the end', `${text} x`, `nothing more expected at byte ${text.length + 1}`],
  ['a truncated file', text.slice(0, 80), 'is cut short at byte 80'],
  ['an empty file', '', 'rates.json: is empty'],
  ['a file of white space', '\ufeff \n', 'rates.json: is empty'],
  ['a gzip of nothing', gzipSync(''), 'rates.json: is empty'],
  ['a truncated gzip', gzipSync(text).subarray(0, 100), 'is cut short: its gzip stream does not end'],
  ['a broken gzip', Buffer.concat([gzipSync(text).subarray(0, 30), Buffer.alloc(90, 7)]), 'is not whole'],
  ['a truncated zip archive', Buffer.from('PK\u0003\u0004....'), 'is cut short: its zip archive does not end'],
  [
    'endless nesting',
    text.replace('"in_network":[', `"in_network":[${'['.repeat(200_000)}${']'.repeat(200_000)},`),
    '1 of 2 items would be skipped (50.0 %)',
  ],
  ['a file that is an array', '[]', 'the file must be an object, not an array'],
  ['CSV', '\ufeffcode,rate\r\n99213,100\r\n', 'looks like CSV, not JSON: only JSON files are loaded'],
  ['a packed table', gzipSync('"code"\t"rate"\n"99213"\t100'), 'looks like CSV, not JSON'],
  ['a sentence', 'Denied, please log in\nagain', 'is not JSON: an object expected at byte 0'],
  [
    'random bytes',
    Buffer.from([0x8f, 0x3a, 0x2c, 0x0a, 0x2c, 0xf2, 0x91]),
    'is not JSON: an object expected at byte 0',
  ],
  ['a table of contents', { reporting_structure: [] }, 'in_network is missing: this is a table of contents'],
  ['a file of allowed amounts', { out_of_network: [] }, 'in_network is missing: this is a file of allowed amounts'],
  ['something else', {}, 'in_network is missing: this is not an in-network file'],
  ['a file without a plan', withoutPlan, 'names no plan (no plan_name)'],
  ['an empty plan', buildFile({ plan_name: ' ' }), 'the name of its plan must not be empty'],
  [
    'a plan with a control character',
    buildFile({ plan_name: 'a\u0007' }),
    'the name of its plan must not contain control',
  ],
  ['rates that are not an array', buildFile({ in_network: {} }), 'in_network must be an array, not an object'],
  [
    'a missing payer',
    buildFile({ reporting_entity_name: null, issuer_name: null }),
    'names no payer (no issuer_name, no reporting_entity_name): name it with --payer',
  ],
  ['references that are not an array', buildFile({ provider_references: 'x' }), 'provider_references must be an array'],
  ['items twice', text.replace('"in_network"', '"in_network":[],"in_network"'), 'in_network is in the file twice'],
  ['a name twice at the top level', text.replace('{', '{"version":"1","version":"2",'), 'version is in the file twice'],
  [
    'groups in a missing file (schema 1.x)',
    buildFile({ provider_references: [{ provider_group_id: 1, location: 'https://a' }] }),
    'provider_references[0].location points to another file',
  ],
]

describe('the refusal of a load', () => {
  it.each(refusals)('names the file in one line that reports %s', async (_title, content, fault) => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.json', content)
    const error = await warehouse.load({ files: [path] }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(LoadRefused)
    expect(error).toMatchObject({ file: path, message: expect.stringContaining(fault) })
    expect(String(error)).not.toContain('\n')
    expect(String(error)).toContain(`${path}: `)
  })

  it('names a missing file', async () => {
    await using warehouse = await createTestWarehouse()
    await expect(warehouse.load({ files: ['/no/such\nfile.json'] })).rejects.toThrow(
      '/no/such\\u000afile.json: cannot be read (ENOENT)',
    )
  })
})

describe('a refused load', () => {
  it('keeps the active content, and leaves no workspace', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('old.json', text)] })
    const before = [...warehouse.catalogue.entries]
    const good = await warehouse.write('good.json', buildFile({ version: '2.1.0' }))
    // The fault is at the end, so that most of the file has been written when it is found.
    const items = JSON.stringify(buildFile({ in_network: Array(5000).fill(buildItem()) }))
    const bad = await warehouse.write('bad.json', `${items.slice(0, -2)}, x]}`)
    await expect(warehouse.load({ files: [good, bad] })).rejects.toThrow('(in_network[5000])')
    expect([...warehouse.catalogue.entries]).toEqual(before)
    expect(await warehouse.listWorkspaces()).toEqual([])
  })

  it('leaves a file without a plan to be taken over once the operator names one', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('a.json', withoutPlan)
    await expect(warehouse.load({ files: [path] })).rejects.toThrow(
      `${path}: names no plan (no plan_name): name it with --plan`,
    )
    expect(await warehouse.load({ files: [path], plan: 'Gold' })).toMatchObject({ takenOver: 1, files: [] })
  })

  it('does not follow from a missing plan that the operator or a table of contents names', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('a.json', withoutPlan)
    expect(await warehouse.load({ files: [path], plan: 'Gold' })).toMatchObject({ leftOut: [] })
    const toc = buildTableOfContents({ plans: [buildPlan('Silver')], files: ['https://a.example/a.json'] })
    expect(await warehouse.load({ files: [], toc: await warehouse.write('toc.json', toc) })).toMatchObject({
      leftOut: [],
    })
  })

  it('names each sample that has no plan', async () => {
    await using warehouse = await createTestWarehouse()
    const sample = join(
      import.meta.dirname,
      '../../fixtures/price-transparency/in-network-rates-multiple-plans-sample.json',
    )
    const path = await warehouse.write('many.json', await readFile(sample))
    await expect(warehouse.load({ files: [path] })).rejects.toThrow(`${path}: names no plan`)
  })
})
