import * as v from 'valibot'
import type { StackTemplate } from '../stack-template.ts'

/** Frees the place of a request. */
type Leave = () => void

/** The places of requests in progress. */
export interface Bursts {
  /** Takes a place for a request of a method; undefined if all places of the method are taken. */
  enter(httpMethod: string, resourcePath: string): Leave | undefined
}

const stageSchema = v.object({
  MethodSettings: v.array(
    v.object({ HttpMethod: v.string(), ResourcePath: v.string(), ThrottlingBurstLimit: v.optional(v.number()) }),
  ),
})

/**
 * Limits the requests of each method that are in progress to the burst in its settings in the template, or in the
 * settings for all methods. API Gateway counts requests by time instead. This machine serves a few at once and lets the
 * others wait, so requests without a limit would time out together.
 */
export function readBursts(template: StackTemplate): Bursts {
  const stages = template.ofType('AWS::ApiGateway::Stage')
  const settings = stages.flatMap(({ properties }) => v.parse(stageSchema, properties).MethodSettings)
  const limits = new Map<string, number>()
  for (const { HttpMethod, ResourcePath, ThrottlingBurstLimit: limit } of settings)
    if (limit !== undefined) limits.set(`${HttpMethod} ${readPath(ResourcePath)}`, limit)
  const counts = new Map<string, { inProgress: number }>()
  return {
    enter: (httpMethod, resourcePath) => {
      const name = `${httpMethod} ${resourcePath}`
      const count = counts.get(name) ?? { inProgress: 0 }
      if (count.inProgress >= (limits.get(name) ?? limits.get('* /*') ?? Number.POSITIVE_INFINITY)) return undefined
      counts.set(name, count)
      count.inProgress += 1
      return () => {
        count.inProgress -= 1
      }
    },
  }
}

/** Reads a path as settings have it: `/~1v1~1mcp`. */
const readPath = (written: string) => written.replace(/^\/(?=~1)/, '').replaceAll('~1', '/')
