import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ListingBudget } from '../../../loader/plans/listing-budget.ts'
import { readTableOfContents } from '../../../loader/plans/table-of-contents.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'

const gold = { plans: [buildPlan('Gold')], files: ['https://rates.example/gold.json'] }

async function read(content: object | string, given = {}, bytes?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'toc-'))
  try {
    const path = join(folder, 'toc.json')
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return await readTableOfContents(path, given, {}, new ListingBudget(path, bytes))
  } finally {
    await rm(folder, { recursive: true })
  }
}

const show = ({ plans }: Awaited<ReturnType<typeof read>>) =>
  plans.map(({ payer, plan, planId, files, faults }) => ({
    plan: `${payer} / ${plan} ${planId === undefined ? '-' : `${planId.type}|${planId.value}`}`,
    files: files.map(({ identity }) => identity.replace('https://rates.example/', '')),
    faults,
  }))

describe('a table of contents that lists more than a load can hold', () => {
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => `https://rates.example/${index}.json`)
  const plansOf = (count: number) => Array.from({ length: count }, (_, index) => buildPlan(`Plan ${index}`))
  const noPlan = { plan_name: 7 }

  /** Entries of one plan each, whose lists differ by one file. */
  const lists = (count: number, files: readonly string[]) =>
    plansOf(count).map((plan, list) => ({ plans: [plan], files: files.toSpliced(list, 1) }))

  /** The same lists, with a plan of its own for each pair of them. */
  const pairs = (count: number, files: readonly string[]) =>
    lists(count, files).map((entry, list) => ({
      ...entry,
      plans: plansOf(count).flatMap((_, other) =>
        other === list ? [] : buildPlan(`Plan ${Math.min(list, other)} ${Math.max(list, other)}`),
      ),
    }))

  it.each([
    ['plans', [{ plans: plansOf(400), files: [] }], [{ plans: plansOf(250), files: [] }]],
    ['plans that cannot be read', [{ plans: Array(400).fill(noPlan), files: [] }], [{ plans: plansOf(1), files: [] }]],
    ['files', [{ plans: plansOf(1), files: addresses(2000) }], [{ plans: plansOf(1), files: addresses(1500) }]],
    ['long lists', lists(20, addresses(1000)), lists(5, addresses(1000))],
    ['combinations of lists', pairs(8, addresses(1000)), pairs(4, addresses(1000))],
  ])('refuses too many %s, and reads fewer', async (_, tooMany, fewer) => {
    const bytes = 1_000_000
    await expect(read(buildTableOfContents(...tooMany), {}, bytes)).rejects.toThrow(/lists more than a load can hold/)
    expect((await read(buildTableOfContents(...fewer), {}, bytes)).plans.length).toBeGreaterThan(0)
  })

  it('counts only the plan that the operator selects', async () => {
    const listed = buildTableOfContents({ plans: plansOf(400), files: addresses(1) })
    expect(show(await read(listed, { plan: 'Plan 7' }, 1_000_000))).toHaveLength(1)
  })
})

describe('the plans of a table of contents', () => {
  it('returns plans with payer, name, id, and the files of all entries that list them', async () => {
    const [a, b, c] = [
      'https://rates.example/a.json',
      'https://rates.example/b.json',
      'https://rates.example/c.json',
    ] as const
    const ein = (plan_id: unknown) => buildPlan('PPO', { plan_id, plan_id_type: 'EIN' })
    const listed = await read(
      buildTableOfContents(
        { plans: [ein('02-2222222'), buildPlan('PPO', { plan_id: null })], files: [a] },
        { plans: [ein(22222222), ein('333333333')], files: [`${a}?Expires=1&Signature=b`, b] },
        { plans: [buildPlan('PPO', { plan_id: '', plan_id_type: null })], files: [c] },
        { plans: [buildPlan('PPO', { issuer_name: null })], files: [c, c] },
      ),
    )
    const payer = 'Blue Harbor Health'
    expect(show(listed)).toEqual([
      { plan: `${payer} / PPO ein|022222222`, files: ['a.json', 'b.json'], faults: [] },
      { plan: `${payer} / PPO -`, files: ['a.json', 'c.json'], faults: [] },
      { plan: `${payer} / PPO ein|333333333`, files: ['a.json', 'b.json'], faults: [] },
      { plan: 'Blue Harbor Services / PPO hios|0123456789', files: ['c.json'], faults: [] },
    ])
    expect(listed.quarantined).toEqual([])
  })

  it.each([
    ['a control character in its name', buildPlan('Sil\u0001ver'), 'must not contain control characters'],
    ['a name that looks like one with a plan id', buildPlan('PPO (EIN 222222222)'), 'plan id'],
    ['a name of 181 characters', buildPlan('x'.repeat(181)), 'must have at most 180 characters, not 181'],
    ['an empty name', buildPlan(' '), 'must not be empty'],
    ['no name', buildPlan(null), 'reporting_structure[1].reporting_plans[0].plan_name must be a string; it is missing'],
    ['a name that is a number', buildPlan(7), 'plan_name must be a string, not 7'],
    ['an id with invalid characters', buildPlan('Silver', { plan_id: 'a)b' }), 'its plan_id'],
    ['an id that is an object', buildPlan('Silver', { plan_id: {} }), 'plan_id must be a number, not an object'],
    ['an issuer with a control character', buildPlan('Silver', { issuer_name: 'Blue\u0007' }), 'the name of its payer'],
    ['being a string', 'Silver', 'reporting_plans[0] must be an object, not "Silver"'],
  ])('go into quarantine for %s, and no others', async (_title, plan, reason) => {
    const entry = { plans: [plan as object], files: gold.files }
    const listed = await read(buildTableOfContents(gold, entry, { ...gold, plans: [buildPlan('Bronze')] }))
    expect(listed.plans.map((each) => each.plan)).toEqual(['Gold', 'Bronze'])
    expect(listed.quarantined).toMatchObject([{ reason: expect.stringContaining(reason) }])
  })

  it('may have names of 180 characters that take two code units each', async () => {
    const listed = await read(buildTableOfContents({ ...gold, plans: [buildPlan('𝒳'.repeat(180))] }))
    expect(listed).toMatchObject({ plans: [{ files: [{}] }], quarantined: [] })
  })

  it('reports a fault only for plans one of whose files has no address', async () => {
    const other = { plans: [buildPlan('Silver'), buildPlan('Gold')], files: ['https://rates.example/s.json', null] }
    const listed = await read(buildTableOfContents(gold, other, { ...gold, plans: [buildPlan('Bronze')] }))
    const fault = 'reporting_structure[1].in_network_files[1].location must be a string; it is missing'
    expect(show(listed).map(({ files, faults }) => ({ files, faults }))).toEqual([
      { files: ['gold.json', 's.json'], faults: [fault] },
      { files: ['s.json'], faults: [fault] },
      { files: ['gold.json'], faults: [] },
    ])
  })

  it('reads valid entries even if other entries are broken', async () => {
    const toc = JSON.parse(JSON.stringify(buildTableOfContents(gold)))
    const broken = [null, 7, [], {}, { reporting_plans: {} }, { reporting_plans: [] }]
    toc.reporting_structure.push(...broken)
    const listed = await read(toc)
    expect(listed.plans.map(({ plan }) => plan)).toEqual(['Gold'])
    expect(listed.quarantined).toMatchObject(
      broken.map((_, index) => ({ reason: expect.stringContaining(`reporting_structure[${index + 1}]`) })),
    )
  })

  it('returns plans without files if their entries list no in-network file', async () => {
    const toc = { reporting_structure: [{ reporting_plans: [buildPlan('Gold')] }], reporting_entity_name: 'Blue' }
    expect(show(await read(toc))).toMatchObject([{ files: [], faults: [] }])
  })

  it('can be chosen by name, or by name and id', async () => {
    const ids = ['111111111', '222222222'].map((plan_id) => buildPlan('PPO', { plan_id, plan_id_type: 'ein' }))
    const toc = buildTableOfContents({ ...gold, plans: [...ids, buildPlan('Gold')] })
    expect((await read(toc, { plan: ' PPO' })).plans).toHaveLength(2)
    expect((await read(toc, { plan: 'PPO (EIN 222222222)' })).plans).toMatchObject([{ planId: { value: '222222222' } }])
    await expect(read(toc, { plan: 'HMO' })).rejects.toThrow('lists no plan "HMO"')
  })
})

describe('a file that is not a table of contents', () => {
  it.each([
    ['another kind of file', { in_network: [] }, 'this is not a table of contents'],
    ['plans that are not an array', { reporting_structure: {} }, 'reporting_structure'],
    ['a truncated file', '{"reporting_structure": [', 'is cut short'],
  ])('cannot be loaded: %s', async (_title, content, fault) => {
    await expect(read(content)).rejects.toThrow(fault)
  })
})
