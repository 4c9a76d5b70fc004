import { isDeepStrictEqual } from 'node:util'
import type { Loss, ProtectionKind } from './losses.ts'
import { itemsOf, listValues, type Resource, type Resources, valueAt, withoutHash } from './stage-template.ts'

/** Types of resources that hold data, and their words in messages. */
const dataTypes: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'table',
  'AWS::DynamoDB::Table': 'table',
  'AWS::S3::Bucket': 'bucket',
  'AWS::Glue::Database': 'database',
}

/** A protection in the template of a resource with data; the words are those of messages with and without it. */
type DataProtection = readonly [
  kind: ProtectionKind,
  present: string,
  absent: string,
  isOn: (resource: Resource) => boolean,
]

const protections: readonly DataProtection[] = [
  ['deletion-protection', 'on', 'off', (resource) => isSwitchedOn(resource, 'DeletionProtectionEnabled')],
  ['recovery', 'on', 'off', (resource) => isSwitchedOn(resource, 'PointInTimeRecoveryEnabled')],
  ['versioning', 'on', 'off', (resource) => isSwitchedOn(resource, 'VersioningConfiguration')],
  ['retention', 'kept when destroyed', 'deleted', ({ DeletionPolicy }) => isRetaining(DeletionPolicy)],
  ['retention', 'kept when replaced', 'deleted', ({ UpdateReplacePolicy }) => isRetaining(UpdateReplacePolicy)],
]

const isRetaining = (policy: string | undefined) => policy?.startsWith('Retain') === true

/** True for a switch that is on everywhere in a resource, such as in each replica of a table. */
function isSwitchedOn({ Properties }: Resource, name: string): boolean {
  const switches = listValues(Properties, name)
  return switches.length > 0 && switches.every((value) => value === true || valueAt(value, 'Status') === 'Enabled')
}

/**
 * Lists the resources with data that a deploy would remove from a stage, replace with empty ones, or protect less. A
 * renamed construct is one that is removed.
 *
 * @param before resources of the deployed stack
 */
export function findDataLosses(before: Resources, after: Resources): readonly Loss[] {
  return Object.entries(before).flatMap(([id, resource]): readonly Loss[] => {
    const word = dataTypes[resource.Type]
    if (word === undefined) return []
    const subject = withoutHash(id)
    const successor = after[id]
    if (successor === undefined) return [{ kind: 'data', subject, before: word, after: 'no longer part of the stage' }]
    const isReplaced = !isDeepStrictEqual(identify(resource), identify(successor))
    const weakened = protections.filter(([, , , isOn]) => isOn(resource) && !isOn(successor))
    const [days, nextDays] = [readDaysKept(resource), readDaysKept(successor)]
    return [
      ...(isReplaced ? [{ kind: 'data', subject, before: word, after: 'replaced with an empty one' } as const] : []),
      ...weakened.map(([kind, present, absent]) => ({ kind, subject, before: present, after: absent })),
      ...(nextDays < days
        ? [{ kind: 'retention', subject, before: describeDays(days), after: describeDays(nextDays) } as const]
        : []),
    ]
  })
}

/**
 * Returns what CloudFormation changes only by replacing a resource. Source: CloudFormation template reference, "Update
 * requires: Replacement".
 */
function identify({ Type, Properties }: Resource): unknown {
  const { TableName, KeySchema, AttributeDefinitions, LocalSecondaryIndexes, BucketName, DatabaseInput } = Properties
  const keys = itemsOf(KeySchema).map((key) => {
    const isOfKey = (definition: unknown) => valueAt(definition, 'AttributeName') === valueAt(key, 'AttributeName')
    return [key, itemsOf(AttributeDefinitions).find(isOfKey)]
  })
  return [Type, TableName, keys, LocalSecondaryIndexes, BucketName, valueAt(DatabaseInput, 'Name')]
}

/** Returns the days after which the first objects of a bucket are deleted; infinite if all are kept. */
function readDaysKept({ Properties }: Resource): number {
  const rules = itemsOf(valueAt(Properties, 'LifecycleConfiguration', 'Rules'))
  const days = rules
    .filter((rule) => valueAt(rule, 'Status') === 'Enabled')
    .map((rule) => valueAt(rule, 'ExpirationInDays'))
  return Math.min(Number.POSITIVE_INFINITY, ...days.filter((value) => typeof value === 'number'))
}

const describeDays = (days: number) => (Number.isFinite(days) ? `kept for ${days} days` : 'kept')
