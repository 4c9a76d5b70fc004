import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { dental, departments, procedures, stays, supplies, tests, visits } from './sample-codes.ts'
import { sampleFiles } from './sample-data.ts'
import { bundleItem, listItem, wildcardItem } from './sample-items.ts'
import type { Clinic } from './sample-providers.ts'
import { clinics } from './sample-providers.ts'

/**
 * Generates the files in `local/samples`: `node local/samples/generate-samples.ts`. They use the CMS in-network format (schema
 * 2.x) and include what makes real files hard to read: provider groups shared by many prices, several TINs per group,
 * TIN-wide rates, percentages and per diems beside dollars, codes without leading zeros, a wildcard. The output is
 * deterministic.
 */

interface Network {
  readonly payer: string
  readonly plan: string
  readonly planId: string
  readonly network: string
  readonly lastUpdatedOn: string
  /** What the payer pays, relative to the average amount. */
  readonly level: number
  /** The clinics of each provider group, as indexes into `clinics`. */
  readonly groups: readonly (readonly number[])[]
  /** The first provider group id, and the increment to each next one. */
  readonly groupIds: readonly [first: number, step: number]
  /** Whether the last group's rates apply to its TIN as a whole. */
  readonly lastIsWholeTin?: boolean
}

const blue = {
  payer: 'Blue Harbor Health',
  network: 'Harbor Preferred',
  lastUpdatedOn: '2026-11-01',
  level: 1,
  groupIds: [4101, 1],
} as const

const summit = {
  payer: 'Summit Ridge Insurance',
  network: 'Ridge Network',
  lastUpdatedOn: '2026-10-15',
  level: 1.14,
  // Some payers use fractions as group ids.
  groupIds: [690.64, 0.01],
} as const

const gold = { ...blue, plan: 'Harbor PPO Gold', planId: '0412345678' }
const silver = { ...blue, plan: 'Harbor HMO Silver', planId: '0412345679', network: 'Harbor Local', level: 0.91 }
const choice = { ...summit, plan: 'Ridge Choice PPO', planId: '7098765432' }
const dentalPlan = { ...summit, plan: 'Ridge Select Dental', planId: '7098765440', network: 'Ridge Smiles' }

const physicians = [[0], [1], [2], [3, 4], [5], [7], [8]]
const hospitals = [[6], [6, 7], [9]]

/** The content of all sample files, by file name. */
export function generateSamples(): ReadonlyMap<string, string> {
  const contents = [
    buildFile({ ...gold, groups: physicians }, [...visits, ...procedures, ...tests, ...supplies], wildcardItem),
    buildFile({ ...gold, groups: hospitals }, [...stays, ...departments], bundleItem),
    buildFile({ ...silver, groups: [[1], [2], [5, 8], [6]] }, [...visits, ...tests, ...departments]),
    buildFile({ ...choice, groups: physicians.toReversed() }, [...visits, ...procedures, ...tests]),
    buildFile({ ...choice, groups: hospitals, lastIsWholeTin: true }, [...stays, ...departments], bundleItem),
    buildFile({ ...dentalPlan, groups: [[10], [11]] }, dental),
  ]
  return new Map(sampleFiles.map((path, index) => [basename(path), contents[index] ?? '']))
}

function buildFile(
  network: Network,
  services: readonly Parameters<typeof listItem>[0][],
  extraItem?: typeof wildcardItem,
): string {
  const [first, step] = network.groupIds
  const groupIds = network.groups.map((_, index) => Math.round((first + step * index) * 100) / 100)
  const prices = { level: network.level, groupIds }
  const items = [...services.map((service) => listItem(service, prices)), ...(extraItem ? [extraItem(prices)] : [])]
  return formatFile(headerOf(network), { provider_references: referencesOf(network, groupIds), in_network: items })
}

function headerOf({ payer, plan, planId, lastUpdatedOn }: Network): object {
  return {
    reporting_entity_name: payer,
    reporting_entity_type: 'health insurance issuer',
    plan_name: plan,
    issuer_name: payer,
    plan_id_type: 'hios',
    plan_id: planId,
    plan_market_type: 'individual',
    last_updated_on: lastUpdatedOn,
    version: '2.0.0',
  }
}

function referencesOf({ groups, network, lastIsWholeTin = false }: Network, groupIds: readonly number[]): object[] {
  return groups.map((members, index) => ({
    provider_group_id: groupIds[index],
    network_name: [network],
    provider_groups: clinics
      .filter((_, place) => members.includes(place))
      .map((clinic) => groupOf(clinic, lastIsWholeTin && index === groups.length - 1)),
  }))
}

function groupOf({ name, tin, npis }: Clinic, isWholeTin: boolean): object {
  return { npi: isWholeTin ? [0] : npis, tin: { type: 'ein', value: tin, business_name: name } }
}

/** Formats JSON with one line per root field and per array element. */
function formatFile(header: object, lists: Readonly<Record<string, readonly object[]>>): string {
  const fields = Object.entries(header).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const arrays = Object.entries(lists).map(([name, elements]) => {
    const lines = elements.map((element) => `    ${JSON.stringify(element)}`)
    return `${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`
  })
  return `{\n  ${[...fields, ...arrays].join(',\n  ')}\n}\n`
}

if (import.meta.main) {
  for (const path of sampleFiles) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, generateSamples().get(basename(path)) ?? '')
  }
}
