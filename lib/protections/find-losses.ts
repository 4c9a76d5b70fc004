import type { Loss, ProtectionKind } from './losses.ts'
import { compareResources } from './resource-protections.ts'
import type { Resources, StackForm } from './stack-form.ts'
import { itemsOf, resourcesOf, textOf, valueAt, withoutHash } from './template-values.ts'

/** Types of resources that hold data, and their words in messages. */
const dataTypes: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'table',
  'AWS::DynamoDB::Table': 'table',
  'AWS::S3::Bucket': 'bucket',
  'AWS::Glue::Database': 'database',
}

/**
 * Lists the protections that a deploy would take away or weaken. It compares with the deployed stacks, not with earlier
 * settings, so that another settings file with the same stage name cannot weaken a stage unnoticed.
 *
 * @param deployed the stacks of the stage that were created completely
 * @param next the stacks that would be deployed
 */
export function findLosses(deployed: readonly StackForm[], next: readonly StackForm[]): readonly Loss[] {
  const losses = deployed.flatMap((before) => {
    const after = next.find(({ name }) => name === before.name)
    return after === undefined ? [] : compareStacks(before, after)
  })
  return [...losses, ...compareWarehouses(deployed, next)]
}

function compareStacks(before: StackForm, after: StackForm): readonly Loss[] {
  const isUnprotected = before.isProtected && !after.isProtected
  return [
    ...(isUnprotected
      ? [{ kind: 'termination-protection' as const, subject: before.name, before: 'on', after: 'off' }]
      : []),
    ...findRemovedData(before.resources, after.resources),
    ...compareResources(before.resources, after.resources),
    ...compareCounts('alarms', 'AWS::CloudWatch::Alarm', before.resources, after.resources),
    ...compareCounts('budget', 'AWS::Budgets::Budget', before.resources, after.resources),
    ...compareTargets(before.resources, after.resources),
    ...compareNames('AWS::ApiGateway::DomainName', 'DomainName', before.resources, after.resources),
    ...compareNames('AWS::Route53::RecordSet', 'Name', before.resources, after.resources),
  ]
}

function findRemovedData(before: Resources, after: Resources): readonly Loss[] {
  return Object.entries(before).flatMap(([id, { Type }]) => {
    const word = dataTypes[Type]
    if (word === undefined || after[id] !== undefined) return []
    return [{ kind: 'data' as const, subject: withoutHash(id), before: word, after: 'no longer part of the stage' }]
  })
}

/** Place of the rates that searches read: the output of a template, and its value once deployed. */
interface RatesPlace {
  readonly output: string
  readonly value: string | undefined
}

/** Compares where searches find rates. Without a place of its own, a stage reads the operator's warehouse. */
function compareWarehouses(deployed: readonly StackForm[], next: readonly StackForm[]): readonly Loss[] {
  if (deployed.length === 0) return []
  const [before, after] = [findRates(deployed), findRates(next)]
  if (before?.output === after?.output || (before?.value !== undefined && before.value === after?.output)) return []
  const subject = before === undefined ? 'searches read an empty one' : 'searches no longer read what was loaded'
  const loss = { kind: 'warehouse', subject, before: describeRates(before), after: describeRates(after) } as const
  const [, bucket] = /^s3:\/\/([^/]+)\/$/.exec(before?.value ?? '') ?? []
  if (bucket === undefined || after === undefined) return [loss]
  return [{ ...loss, remedy: `"ratesBucket": "${bucket}" in the stage file keeps what was loaded` }]
}

/**
 * Finds where a stage's own warehouse has its rates. Earlier versions had it in a stack of its own, which stays
 * deployed when the service no longer reads it; the service imports its outputs as long as it does.
 */
function findRates(stacks: readonly StackForm[]): RatesPlace | undefined {
  const service = stacks.find(({ name }) => name.startsWith('SearchService-'))
  const former = stacks.find(({ name }) => name.startsWith('Warehouse-'))
  const isRead = former !== undefined && JSON.stringify(service?.resources ?? {}).includes(`"${former.name}:`)
  return [...(service ? [service] : []), ...(isRead ? [former] : [])]
    .filter(({ outputs }) => outputs['RatesLocation'] !== undefined)
    .map(({ outputs, values }) => ({ output: textOf(outputs['RatesLocation']), value: values['RatesLocation'] }))[0]
}

function describeRates(place: RatesPlace | undefined): string {
  if (place === undefined) return "one of the operator's"
  return place.value ?? (place.output.startsWith('s3:') ? place.output : 'a new bucket')
}

function compareCounts(kind: ProtectionKind, type: string, before: Resources, after: Resources): readonly Loss[] {
  const list = (resources: Resources) => resourcesOf(resources, type).map(([id]) => withoutHash(id))
  const [former, latter] = [list(before), list(after)]
  return former.flatMap((subject) =>
    latter.includes(subject) ? [] : [{ kind, subject, before: `${former.length}`, after: `${latter.length}` }],
  )
}

/** Lists the targets that would hear of fewer alarms, not counting alarms that are removed. */
function compareTargets(before: Resources, after: Resources): readonly Loss[] {
  const targetsByAlarm = (resources: Resources) =>
    new Map(resourcesOf(resources, 'AWS::CloudWatch::Alarm').map(([id]) => [id, listTargets(resources, id)]))
  const [former, latter] = [targetsByAlarm(before), targetsByAlarm(after)]
  const count = (targets: ReadonlyMap<string, readonly string[]>) => `${new Set([...targets.values()].flat()).size}`
  return [...former].flatMap(([id, targets]) => {
    const next = latter.get(id)
    if (next === undefined) return []
    return targets
      .filter((target) => !next.includes(target))
      .map((subject) => ({ kind: 'alarm-targets' as const, subject, before: count(former), after: count(latter) }))
  })
}

/** Lists the targets of an alarm: addresses that subscribe to a topic of the template, and the ARNs of other topics. */
function listTargets(resources: Resources, alarm: string): readonly string[] {
  const properties = resources[alarm]?.Properties
  if (valueAt(properties, 'ActionsEnabled') === false) return []
  return itemsOf(valueAt(properties, 'AlarmActions')).flatMap((action) => {
    if (typeof action === 'string') return [action]
    const isOfTopic = ([, { Properties }]: readonly [string, { readonly Properties: unknown }]) =>
      textOf(valueAt(Properties, 'TopicArn')) === textOf(action)
    return resourcesOf(resources, 'AWS::SNS::Subscription')
      .filter(isOfTopic)
      .map(([, { Properties }]) => textOf(valueAt(Properties, 'Endpoint')))
  })
}

function compareNames(type: string, property: string, before: Resources, after: Resources): readonly Loss[] {
  const list = (resources: Resources) =>
    resourcesOf(resources, type).map(([, { Properties }]) => textOf(valueAt(Properties, property)))
  const next = list(after)
  const subject = type === 'AWS::Route53::RecordSet' ? 'DNS record' : 'domain of the API'
  return list(before).flatMap((name) =>
    next.includes(name)
      ? []
      : [{ kind: 'custom-domain' as const, subject, before: name, after: next.join(', ') || 'none' }],
  )
}
