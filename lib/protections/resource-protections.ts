import type { Loss, ProtectionKind } from './losses.ts'
import type { Resource, Resources } from './stack-form.ts'
import { itemsOf, textOf, valueAt, valuesNamed, withoutHash } from './template-values.ts'

/** Protections of one resource: values by their names. */
type Settings = Readonly<Record<string, string>>

interface ResourceProtection {
  readonly kind: ProtectionKind
  readonly read: (resource: Resource) => Settings
  /** Value that a message shows when a resource no longer has the protection. */
  readonly absent: string
}

const protections: readonly ResourceProtection[] = [
  { kind: 'deletion-protection', read: readSwitch(/^DeletionProtectionEnabled$/), absent: 'off' },
  {
    kind: 'retention',
    read: ({ DeletionPolicy, UpdateReplacePolicy }) => ({
      ...(isRetaining(DeletionPolicy) && { destroyed: 'kept when destroyed' }),
      ...(isRetaining(UpdateReplacePolicy) && { replaced: 'kept when replaced' }),
    }),
    absent: 'deleted',
  },
  { kind: 'recovery', read: readSwitch(/^PointInTimeRecoveryEnabled$/), absent: 'off' },
  {
    kind: 'versioning',
    read: ({ Type, Properties }): Settings =>
      Type === 'AWS::S3::Bucket' && valueAt(Properties, 'VersioningConfiguration', 'Status') === 'Enabled'
        ? { versions: 'on' }
        : {},
    absent: 'off',
  },
  {
    kind: 'encryption',
    read: ({ Properties }) => {
      const keys = valuesNamed(Properties, /^(KMSMasterKeyI[dD]|KmsMasterKeyId|KmsKey|KmsKeyId|KmsKeyArn)$/)
      return keys.length === 0 ? {} : { key: [...new Set(keys.map(textOf))].sort().join(', ') }
    },
    absent: 'keys of AWS',
  },
  {
    kind: 'access-log',
    read: ({ Type, Properties }): Settings =>
      Type === 'AWS::ApiGateway::Stage' && valueAt(Properties, 'AccessLogSetting') !== undefined ? { log: 'on' } : {},
    absent: 'off',
  },
]

const isRetaining = (policy: string | undefined) => policy === 'Retain' || policy === 'RetainExceptOnCreate'

/** Reads a switch. It is on only if it is on everywhere in the resource, such as in each replica of a table. */
function readSwitch(name: RegExp): (resource: Resource) => Settings {
  return ({ Properties }) => {
    const switches = valuesNamed(Properties, name)
    return switches.length > 0 && switches.every((value) => value === true) ? { switch: 'on' } : {}
  }
}

/** Lists the protections that resources would lose, for resources that are in both templates. */
export function compareResources(before: Resources, after: Resources): readonly Loss[] {
  return Object.entries(before).flatMap(([id, resource]) => {
    const successor = after[id]
    if (successor === undefined) return []
    const subject = withoutHash(id)
    const settings = protections.flatMap(({ kind, read, absent }) => {
      const next = read(successor)
      return Object.entries(read(resource)).flatMap(([name, value]) =>
        next[name] === value ? [] : [{ kind, subject, before: value, after: next[name] ?? absent }],
      )
    })
    return [...settings, ...compareExpiry(subject, resource, successor)]
  })
}

/** Lists the prefixes of a bucket whose objects would be deleted earlier than now. */
function compareExpiry(subject: string, resource: Resource, successor: Resource): readonly Loss[] {
  const before = readExpiry(resource)
  const describe = (days: number | undefined) => (days === undefined ? 'kept' : `kept for ${days} days`)
  return [...readExpiry(successor)].flatMap(([prefix, days]) => {
    const former = before.get(prefix)
    if (former !== undefined && former <= days) return []
    return [
      { kind: 'retention' as const, subject: `${subject}/${prefix}`, before: describe(former), after: describe(days) },
    ]
  })
}

/** Returns the days after which objects of a bucket are deleted, by prefix. Prefixes without expiry are left out. */
function readExpiry({ Type, Properties }: Resource): ReadonlyMap<string, number> {
  const days = new Map<string, number>()
  if (Type !== 'AWS::S3::Bucket') return days
  for (const rule of itemsOf(valueAt(Properties, 'LifecycleConfiguration', 'Rules'))) {
    const expiration = valueAt(rule, 'ExpirationInDays')
    if (typeof expiration !== 'number' || valueAt(rule, 'Status') !== 'Enabled') continue
    const prefix = valueAt(rule, 'Prefix')
    const key = prefix === undefined ? '' : textOf(prefix)
    days.set(key, Math.min(expiration, days.get(key) ?? expiration))
  }
  return days
}
