import * as v from 'valibot'
import { at } from '../../schema/at.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { Loss, ProtectionKind } from './losses.ts'
import { listValues, type StageTemplate } from './stage-template.ts'

/** The settings that protect a stage, as every version since 0.3.0 notes them. */
const protectiveSettings = v.object({
  encryptionKeyArn: v.optional(v.string()),
  alarms: v.boolean(),
  alarmTargets: v.array(v.string()),
  loads: v.optional(v.unknown()),
  budget: v.optional(v.unknown()),
  customDomain: v.optional(v.object({ name: v.string(), hostedZone: v.optional(v.unknown()) })),
  accessLog: v.boolean(),
})

type ProtectiveSettings = v.InferOutput<typeof protectiveSettings>

/** A protection that a setting decides. */
interface SettingProtection {
  readonly kind: ProtectionKind
  readonly subject: string
  /** The protection as text; undefined without it. */
  readonly value: string | undefined
  /** Text of a message that says what there is without it. */
  readonly absent: string
}

const onIf = (isOn: boolean) => (isOn ? 'on' : undefined)

/** Returns a stage's protections, always the same ones in the same order. */
function listProtections(settings: ProtectiveSettings): readonly SettingProtection[] {
  const { encryptionKeyArn, alarms, loads, budget, customDomain: domain, accessLog } = settings
  const record = domain?.hostedZone === undefined ? undefined : domain.name
  return [
    { kind: 'encryption', subject: 'tables, buckets and logs', value: encryptionKeyArn, absent: 'keys of AWS' },
    { kind: 'alarms', subject: 'all alarms', value: onIf(alarms), absent: 'off' },
    { kind: 'alarms', subject: 'alarms of loads', value: onIf(alarms && loads !== undefined), absent: 'off' },
    { kind: 'budget', subject: 'the bill', value: onIf(budget !== undefined), absent: 'off' },
    { kind: 'custom-domain', subject: 'domain of the API', value: domain?.name, absent: 'none' },
    { kind: 'custom-domain', subject: 'DNS record', value: record, absent: 'none' },
    { kind: 'access-log', subject: 'calls of the API', value: onIf(accessLog), absent: 'off' },
  ]
}

/** Lists the protections that a stage would lose by its settings. */
export function findSettingLosses(before: StageTemplate, after: StageTemplate): readonly Loss[] {
  const [former, latter] = [readSettings(before), readSettings(after)]
  const protections = listProtections(latter)
  const losses = listProtections(former).flatMap(({ kind, subject, value, absent }, index) => {
    const next = at(protections, index).value
    return value === undefined || value === next ? [] : [{ kind, subject, before: value, after: next ?? absent }]
  })
  // If all alarms are lost, that says it.
  const targets = latter.alarms ? former.alarmTargets.filter((target) => !latter.alarmTargets.includes(target)) : []
  const counts = { before: `${former.alarmTargets.length}`, after: `${latter.alarmTargets.length}` }
  return [...losses, ...targets.map((subject) => ({ kind: 'alarm-targets' as const, subject, ...counts }))]
}

function readSettings(template: StageTemplate): ProtectiveSettings {
  const parsed = v.safeParse(protectiveSettings, template.settings ?? recoverSettings(template))
  if (parsed.success) return parsed.output
  throw new PrintableError('the settings that the template of the stage notes cannot be read')
}

/** Reads the settings of a stage of version 0.2.0, which did not note them, from its resources. */
function recoverSettings({ resources }: StageTemplate): v.InferInput<typeof protectiveSettings> {
  const listTexts = (type: string, property: string) =>
    Object.values(resources)
      .flatMap(({ Type, Properties }) => (Type === type ? listValues(Properties, property) : []))
      .flat()
      .filter((value) => typeof value === 'string')
  const [encryptionKeyArn] = listTexts('AWS::DynamoDB::GlobalTable', 'KMSMasterKeyId')
  const [name] = listTexts('AWS::ApiGateway::DomainName', 'DomainName')
  const [hostedZone] = listTexts('AWS::Route53::RecordSet', 'HostedZoneId')
  return {
    encryptionKeyArn,
    alarms: listTexts('AWS::CloudWatch::Alarm', 'ComparisonOperator').length > 0,
    alarmTargets: listTexts('AWS::SNS::Subscription', 'Endpoint'),
    ...(name !== undefined && { customDomain: { name, hostedZone } }),
    accessLog: listTexts('AWS::ApiGateway::Stage', 'Format').length > 0,
  }
}
