import * as v from 'valibot'
import type { ServiceEvent } from '../peers.ts'
import type { Resource, StackTemplate } from '../stack-template.ts'

/** Calls a function by its ARN. */
type Call = (arn: string, event: unknown) => Promise<unknown>

const ruleSchema = v.object({
  ScheduleExpression: v.optional(v.string()),
  EventPattern: v.optional(
    v.strictObject({
      source: v.array(v.string()),
      'detail-type': v.optional(v.array(v.string())),
      detail: v.optional(v.record(v.string(), v.array(v.string())), {}),
    }),
  ),
  Targets: v.array(
    v.object({
      Arn: v.string(),
      InputPath: v.optional(v.literal('$.detail')),
    }),
  ),
})

type Rule = v.InferOutput<typeof ruleSchema>

/**
 * Reads the EventBridge rules of a template, triggered by a schedule or by an event.
 *
 * @throws TypeError if a target transforms its input: EventBridge inserts values into the template without escaping
 *   them, and does not document what it does with broken JSON
 */
export function readEvents(template: StackTemplate, call: Call) {
  const rules = template.ofType('AWS::Events::Rule').map(({ properties }) => readRule(template, properties))
  const timers: NodeJS.Timeout[] = []
  let isClosed = false
  const callTargets = (rule: Rule, event: object) =>
    Promise.all(
      rule.Targets.map(async ({ Arn, InputPath }) => {
        const result = await call(Arn, InputPath !== undefined && 'detail' in event ? event.detail : event)
        if (typeof result === 'object' && result !== null && 'outcome' in result && result.outcome === 'threw')
          throw new TypeError(`${Arn} failed`)
      }),
    )
  return {
    /** Sends an event to every matching rule. Rejects if a target did not handle it. */
    publish: async (event: ServiceEvent): Promise<void> => {
      // Executions that end because the service stops have not failed: the next start resumes their jobs.
      if (isClosed) throw new TypeError('the service is stopping')
      await Promise.all(rules.filter((rule) => matches(rule, event)).map((rule) => callTargets(rule, event)))
    },
    /** Starts the schedules. Each rule fires immediately and then at its rate. */
    start: (): void => {
      for (const rule of rules) {
        if (rule.ScheduleExpression === undefined) continue
        const tick = () => void callTargets(rule, { source: 'aws.events' }).catch(() => {})
        timers.push(setInterval(tick, readRate(rule.ScheduleExpression)))
        tick()
      }
    },
    close: async () => {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Reads a rule. Its retries and dead-letter queue are not simulated. */
function readRule(
  template: StackTemplate,
  { ScheduleExpression, EventPattern, Targets }: Resource['properties'],
): Rule {
  const targets = v.parse(v.array(v.looseObject({ Arn: v.unknown() })), Targets)
  if (targets.some((target) => 'InputTransformer' in target || 'Input' in target))
    throw new TypeError('a rule with Input or InputTransformer is not supported: pass the event, or its $.detail')
  return v.parse(ruleSchema, {
    ScheduleExpression,
    EventPattern: template.resolve(EventPattern),
    Targets: targets.map(({ Arn, InputPath }) => ({ Arn: template.text(Arn), InputPath })),
  })
}

function matches({ EventPattern: pattern }: Rule, event: ServiceEvent): boolean {
  if (pattern === undefined || !pattern.source.includes(event.source)) return false
  const types = pattern['detail-type']
  if (types !== undefined && !types.includes(event['detail-type'] ?? '')) return false
  return Object.entries(pattern.detail).every(([field, values]) => values.includes(String(event.detail[field])))
}

const units: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Converts `rate(5 minutes)` to milliseconds. */
function readRate(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  const milliseconds = Number(count) * (units[unit ?? ''] ?? Number.NaN)
  if (!(milliseconds > 0)) throw new TypeError(`the schedule ${expression} is not a rate`)
  return milliseconds
}
