import * as v from 'valibot'
import type { StackTemplate } from '../stack-template.ts'

/** A method of the template's REST API and the function that serves it. */
export interface Route {
  /** For example `/v1/searches/{job_id}`. */
  readonly resourcePath: string
  readonly functionArn: string
  readonly pathParameters: Readonly<Record<string, string>> | null
}

/** Finds the route for a method and path. Fixed segments win over parameters, and parameters over `{proxy+}`. */
export type FindRoute = (method: string, path: string) => Route | undefined

interface Method {
  readonly resourcePath: string
  readonly httpMethod: string
  readonly functionArn: string
}

const resourceSchema = v.object({ PathPart: v.string(), ParentId: v.unknown() })

const methodSchema = v.object({
  HttpMethod: v.string(),
  ResourceId: v.unknown(),
  Integration: v.object({ Type: v.literal('AWS_PROXY'), Uri: v.unknown() }),
})

/** Reads the routes of the template's REST API. */
export function readRoutes(template: StackTemplate): FindRoute {
  const parts = new Map(
    template.ofType('AWS::ApiGateway::Resource').map(({ id, properties }) => {
      const { PathPart, ParentId } = v.parse(resourceSchema, properties)
      return [id, { part: PathPart, parent: template.text(ParentId) }]
    }),
  )
  const pathOf = (id: string): string => {
    const resource = parts.get(id)
    return resource === undefined ? '' : `${pathOf(resource.parent)}/${resource.part}`
  }
  const methods: Method[] = template.ofType('AWS::ApiGateway::Method').map(({ properties }) => {
    const { HttpMethod, ResourceId, Integration } = v.parse(methodSchema, properties)
    const uri = template.text(Integration.Uri)
    const functionArn = /functions\/(.+)\/invocations$/.exec(uri)?.[1]
    if (functionArn === undefined) throw new TypeError(`the integration ${uri} invokes no function`)
    return { resourcePath: pathOf(template.text(ResourceId)) || '/', httpMethod: HttpMethod, functionArn }
  })
  return (method, path) => findRoute(methods, method, path)
}

function findRoute(methods: readonly Method[], method: string, path: string): Route | undefined {
  const candidates = methods
    .flatMap((candidate) => {
      const pathParameters = matchPath(candidate.resourcePath, path)
      return pathParameters === undefined ? [] : [{ ...candidate, pathParameters }]
    })
    .sort((a, b) => specificity(b.resourcePath) - specificity(a.resourcePath))
  const resourcePath = candidates[0]?.resourcePath
  const resourceMethods = candidates.filter((candidate) => candidate.resourcePath === resourcePath)
  return (
    resourceMethods.find(({ httpMethod }) => httpMethod === method) ??
    resourceMethods.find(({ httpMethod }) => httpMethod === 'ANY')
  )
}

/** Returns the path parameters: null if the route has none, undefined if the path does not match. */
function matchPath(resourcePath: string, path: string): Readonly<Record<string, string>> | null | undefined {
  const expected = resourcePath.split('/')
  const segments = path.split('/')
  const parameters: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = segments[index]
    const name = /^\{(\w+)(\+?)\}$/.exec(part)
    if (name === null ? value !== part : !value) return undefined
    if (name?.[1] === undefined || value === undefined) continue
    if (name[2] === '+') return { ...parameters, [name[1]]: decode(segments.slice(index).join('/')) }
    parameters[name[1]] = decode(value)
  }
  if (expected.length !== segments.length) return undefined
  return Object.keys(parameters).length > 0 ? parameters : null
}

/** Decodes a segment. Invalid percent-encoding stays unchanged; the function decides how to handle it. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function specificity(resourcePath: string): number {
  if (resourcePath.includes('+}')) return 0
  const parts = resourcePath.split('/')
  return parts.length * 10 - parts.filter((part) => part.startsWith('{')).length
}
