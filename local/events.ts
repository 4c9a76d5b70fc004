import * as v from 'valibot'
import type { Resource, StackTemplate } from './stack-template.ts'

/** The template's EventBridge rules: what they call, on a schedule or when an execution ends. */
export interface Events {
  /** Hands an event to every rule that it matches. */
  publish(event: ExecutionEvent): void
  /** Begins the schedules; each rule is called at once and then at its rate. */
  start(): void
  close(): Promise<void>
}

/** A status change of an execution. Source: Step Functions developer guide, "Standard workflow execution status change". */
export interface ExecutionEvent {
  readonly source: 'aws.states'
  readonly detail: Readonly<Record<string, string>>
}

/** Calls a function by its ARN. */
type Call = (arn: string, event: unknown) => Promise<unknown>

const ruleSchema = v.object({
  ScheduleExpression: v.optional(v.string()),
  EventPattern: v.optional(
    v.object({ source: v.array(v.string()), detail: v.record(v.string(), v.array(v.string())) }),
  ),
  Targets: v.array(
    v.object({
      Arn: v.string(),
      InputTransformer: v.optional(
        v.object({ InputPathsMap: v.record(v.string(), v.string()), InputTemplate: v.string() }),
      ),
    }),
  ),
})

type Rule = v.InferOutput<typeof ruleSchema>

/** Reads the rules of a template. */
export function readEvents(template: StackTemplate, call: Call): Events {
  const rules = template.ofType('AWS::Events::Rule').map(({ properties }) => readRule(template, properties))
  const timers: NodeJS.Timeout[] = []
  let closed = false
  // What a rule's target makes of an event is the target's affair: EventBridge does not listen to it either.
  const callTargets = (rule: Rule, event: object) => {
    for (const { Arn, InputTransformer: transformer } of rule.Targets) {
      const input = transformer === undefined ? event : transform(transformer, event)
      call(Arn, input).catch(() => {})
    }
  }
  return {
    publish: (event) => {
      // Executions that end because the service stops are not broken: the next start goes on with their jobs.
      if (closed) return
      for (const rule of rules) if (matches(rule, event)) callTargets(rule, event)
    },
    start: () => {
      for (const rule of rules) {
        if (rule.ScheduleExpression === undefined) continue
        const tick = () => callTargets(rule, { source: 'aws.events' })
        timers.push(setInterval(tick, readRate(rule.ScheduleExpression)))
        tick()
      }
    },
    close: async () => {
      closed = true
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Reads what counts on this machine: dead letters and retries have no counterpart here. */
function readRule(
  template: StackTemplate,
  { ScheduleExpression, EventPattern, Targets }: Resource['properties'],
): Rule {
  const targets = v.parse(v.array(v.looseObject({ Arn: v.unknown() })), Targets)
  return v.parse(ruleSchema, {
    ScheduleExpression,
    EventPattern: template.resolve(EventPattern),
    Targets: targets.map(({ Arn, InputTransformer }) => ({ Arn: template.text(Arn), InputTransformer })),
  })
}

function matches({ EventPattern: pattern }: Rule, event: ExecutionEvent): boolean {
  if (pattern === undefined || !pattern.source.includes(event.source)) return false
  return Object.entries(pattern.detail).every(([field, values]) => values.includes(event.detail[field] ?? ''))
}

/** Fills `<name>` of the template with what the event has at the name's path, as JSON. */
function transform(transformer: NonNullable<Rule['Targets'][number]['InputTransformer']>, event: object): unknown {
  const text = transformer.InputTemplate.replace(/<([\w-]+)>/g, (_, name: string) => {
    const path = (transformer.InputPathsMap[name] ?? '').split('.').slice(1)
    const value = path.reduce((found: unknown, part) => (isRecord(found) ? found[part] : undefined), event)
    return JSON.stringify(value ?? null)
  })
  return JSON.parse(text)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const units: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Milliseconds of a `rate(5 minutes)`. */
function readRate(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  const milliseconds = Number(count) * (units[unit ?? ''] ?? Number.NaN)
  if (!(milliseconds > 0)) throw new TypeError(`the schedule ${expression} is not a rate`)
  return milliseconds
}
