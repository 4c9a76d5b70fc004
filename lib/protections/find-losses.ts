import { findDataLosses } from './data-losses.ts'
import type { Loss } from './losses.ts'
import { findSettingLosses } from './setting-losses.ts'
import { type StageTemplate, valueAt } from './stage-template.ts'

/** A stack of a stage as it is deployed. */
export interface DeployedTemplate extends StageTemplate {
  readonly name: string
  /** Its termination protection, which no template contains. */
  readonly isProtected: boolean
  /** The outputs as CloudFormation has computed them. */
  readonly values: Readonly<Record<string, string>>
}

/**
 * Lists the protections that a deploy would take away or weaken. It compares with what is deployed, so that another
 * settings file with the same stage name cannot weaken a stage unnoticed: settings where a setting decides, and the
 * resources that hold data (docs/adr/0068).
 *
 * @param deployed the stacks of the stage that were created completely
 */
export function findLosses(deployed: readonly DeployedTemplate[], next: StageTemplate): readonly Loss[] {
  const service = deployed.find(({ name }) => name.startsWith('SearchService-'))
  const losses = service === undefined ? [] : findStackLosses(service, next)
  return deployed.length === 0 ? [] : [...losses, ...findWarehouseLosses(findRates(deployed, service), next)]
}

function findStackLosses(service: DeployedTemplate, next: StageTemplate): readonly Loss[] {
  const isUnprotected = service.isProtected && valueAt(next.settings, 'disposable') === true
  return [
    ...(isUnprotected
      ? [{ kind: 'termination-protection', subject: service.name, before: 'on', after: 'off' } as const]
      : []),
    ...findDataLosses(service.resources, next.resources),
    ...findSettingLosses(service, next),
  ]
}

/**
 * Finds the stack in which a stage's own warehouse has its rates; undefined if it reads the operator's. Versions up to
 * 0.2.0 had them in a stack of its own, which stays deployed when the service no longer reads it; the service imports
 * its outputs as long as it does.
 */
function findRates(deployed: readonly DeployedTemplate[], service: DeployedTemplate | undefined) {
  const former = deployed.find(({ name }) => name.startsWith('Warehouse-'))
  const isRead =
    former !== undefined && (service === undefined || JSON.stringify(service.resources).includes(`"${former.name}:`))
  return [service, ...(isRead ? [former] : [])].find((stack) => stack?.outputs['RatesLocation'] !== undefined)
}

/** Compares where searches find rates. */
function findWarehouseLosses(rates: DeployedTemplate | undefined, next: StageTemplate): readonly Loss[] {
  const [before, after] = [rates?.outputs['RatesLocation'], next.outputs['RatesLocation']].map(describeOutput)
  const location = rates?.values['RatesLocation']
  if (before === after || (location !== undefined && location === after)) return []
  const loss = {
    kind: 'warehouse',
    subject: before === undefined ? 'searches read an empty one' : 'searches no longer read what was loaded',
    before: location ?? describeRates(before),
    after: describeRates(after),
  } as const
  const [, bucket] = /^s3:\/\/([^/]+)\/$/.exec(location ?? '') ?? []
  if (bucket === undefined || after === undefined) return [loss]
  return [{ ...loss, remedy: `"ratesBucket": "${bucket}" in the stage file keeps what was loaded` }]
}

/** Returns the value of an output as text: references stay in CloudFormation's notation. */
const describeOutput = (value: unknown) =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value)

function describeRates(output: string | undefined): string {
  if (output === undefined) return "one of the operator's"
  return output.startsWith('s3:') ? output : 'a new bucket'
}
