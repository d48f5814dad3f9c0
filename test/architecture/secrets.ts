// Finds comparisons that could tell by their time how much of a secret was right. It goes by names: whatever is called a secret, a token,
// a signature or a hash is compared by timingSafeEqual, or looked up by its hash.
import ts from "typescript";
import type { SourceFile } from "./source.ts";

const SECRET = /secret|token|password|signature|signed|digest|hmac|hash|credential|cursor_key|authorization/i;
const EQUAL = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);
const COMPARING = new Set(["includes", "startsWith", "endsWith", "indexOf", "localeCompare", "equals", "compare"]);

/** What compares by name, and is no secret or no comparison with one: each with its reason. */
const HARMLESS: Record<string, string> = {
  'exchange.route?.id === "createToken"': "the name of an operation",
  'route.id === "createToken"': "the name of an operation",
};

/** Comparing with what is written in the source, or asking whether there is one, tells nothing. */
function isKnown(node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return true;
  const { kind } = node;
  if (/^[A-Z][A-Z_]+$/.test(node.getText())) return true;
  return kind === ts.SyntaxKind.NullKeyword || ts.isTypeOfExpression(node) || node.getText() === "undefined";
}

/** The names in an expression: not the texts, which are for people. */
function namesIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [];
  return ts.isIdentifier(node) ? [node.text] : node.getChildren().flatMap(namesIn);
}
const isSecret = (node: ts.Node): boolean => namesIn(node).some((name) => SECRET.test(name));

export function timedComparisons({ path, text }: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const message = node.getText().replace(/\s+/g, " ");
    if (ts.isBinaryExpression(node) && EQUAL.has(node.operatorToken.kind)) {
      const { left, right } = node;
      if ((isSecret(left) || isSecret(right)) && !isKnown(left) && !isKnown(right)) found.push(message);
    } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, arguments: given } = node;
      const compares = COMPARING.has(expression.name.text) && given.some((each) => isSecret(each) && !isKnown(each));
      if (compares) found.push(message);
    } else if (ts.isSwitchStatement(node) && isSecret(node.expression)) found.push(message.slice(0, 60));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found
    .filter((each) => !/\.length\b/.test(each) && !HARMLESS[each])
    .map((each) => `src/${path} compares ${each}`);
}
