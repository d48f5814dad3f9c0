// Asking a sandbox by HTTP, as any integration and any tool does.

/** What the sandbox refused: its status, and the code and sentence it gave. */
export class SandboxError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "SandboxError";
    this.status = status;
    this.code = code;
  }
}

export interface Remote {
  get<T>(path: string, query?: Record<string, string | number | undefined>): Promise<T>;
  post<T>(path: string, body?: object): Promise<T>;
  put<T>(path: string, body?: object): Promise<T>;
  delete(path: string): Promise<void>;
}

/** The control surface of one world. */
export function remoteOf(controlUrl: string, world: string, controlToken: string): Remote {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers: Record<string, string> = { "sandbox-world": world, authorization: `Bearer ${controlToken}` };
    if (body) headers["content-type"] = "application/json";
    const answer = await fetch(controlUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await answer.text();
    const value: unknown = text === "" ? undefined : JSON.parse(text);
    if (answer.ok) return value;
    const { code = "", message = text } = (value ?? {}) as { code?: string; message?: string };
    throw new SandboxError(answer.status, code, message);
  };
  return {
    get: async <T>(path: string, query: Record<string, string | number | undefined> = {}) => {
      const members = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      );
      const search = new URLSearchParams(members as [string, string][]).toString();
      return (await ask("GET", search ? `${path}?${search}` : path)) as T;
    },
    post: async <T>(path: string, body?: object) => (await ask("POST", path, body)) as T,
    put: async <T>(path: string, body?: object) => (await ask("PUT", path, body)) as T,
    delete: async (path) => void (await ask("DELETE", path)),
  };
}
