/* SUNDIALS IDA on equations that are solved: dense with an exact Jacobian, KLU for the grid of diodes.
   ida MODEL TOL...: a line per tolerance, "tol seconds steps residuals jacobians factorisations seconds_of_the_start end-values..." */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

typedef struct {
  const char *name;
  int n;
  double end, atol;                                            /* atol per rtol */
  void (*start)(double *y, double *yp, double *id);            /* id: 1 where a rate enters */
  void (*residual)(double t, const double *y, const double *yp, double *r);
  void (*jacobian)(double t, double c, const double *y, double *J); /* by columns, dF/dy + c dF/dy' */
} Model;
#define J(i, k) J[(k) * N + (i)]

/* Robertson, with the balance in place of a rate. */
static void rober_start(double *y, double *yp, double *id) {
  y[0] = 1, yp[0] = -0.04, yp[1] = 0.04, id[0] = id[1] = 1;
}
static void rober(double t, const double *y, const double *yp, double *r) {
  double slow = 0.04 * y[0], back = 1e4 * y[1] * y[2];
  r[0] = yp[0] + slow - back;
  r[1] = yp[1] - slow + back + 3e7 * y[1] * y[1];
  r[2] = y[0] + y[1] + y[2] - 1;
}
static void rober_jac(double t, double c, const double *y, double *J) {
  enum { N = 3 };
  double b = 1e4 * y[2], d = 1e4 * y[1];
  J(0, 0) = c + 0.04, J(0, 1) = -b, J(0, 2) = -d;
  J(1, 0) = -0.04, J(1, 1) = c + b + 6e7 * y[1], J(1, 2) = d;
  J(2, 0) = J(2, 1) = J(2, 2) = 1;
}

/* A mass on a rod, with the force in the rod from a balance: x y vx vy lam. */
static void pend_start(double *y, double *yp, double *id) {
  y[0] = 1, yp[3] = -9.81, id[0] = id[1] = id[2] = id[3] = 1;
}
static void pend(double t, const double *y, const double *yp, double *r) {
  r[0] = yp[0] - y[2], r[1] = yp[1] - y[3];
  r[2] = yp[2] + y[4] * y[0], r[3] = yp[3] + y[4] * y[1] + 9.81;
  r[4] = y[2] * y[2] + y[3] * y[3] - y[4] * (y[0] * y[0] + y[1] * y[1]) - 9.81 * y[1];
}
static void pend_jac(double t, double c, const double *y, double *J) {
  enum { N = 5 };
  J(0, 0) = J(1, 1) = J(2, 2) = J(3, 3) = c, J(0, 2) = J(1, 3) = -1;
  J(2, 0) = J(3, 1) = y[4], J(2, 4) = y[0], J(3, 4) = y[1];
  J(4, 0) = -2 * y[4] * y[0], J(4, 1) = -2 * y[4] * y[1] - 9.81;
  J(4, 2) = 2 * y[2], J(4, 3) = 2 * y[3], J(4, 4) = -(y[0] * y[0] + y[1] * y[1]);
}

/* The transistor amplifier. */
static const double C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, C4 = 4e-6, C5 = 5e-6;
static const double R0 = 1000, R = 9000, UB = 6, UF = 0.026, ALPHA = 0.99, BETA = 1e-6;
static void amp_start(double *y, double *yp, double *id) {
  double v[] = {0, 3, 3, 6, 3, 3, 6, 0};
  memcpy(y, v, sizeof v);
  for (int i = 0; i < 8; i++) id[i] = 1;
  /* No current at the start; the rest from derivatives of the balances without rates. */
  double g = BETA / UF;
  yp[2] = -v[2] / (C2 * R), yp[5] = -v[5] / (C4 * R);
  yp[0] = yp[1] = (20 * M_PI / R0 + (1 - ALPHA) * g * yp[2]) / (1 / R0 + 2 / R + (1 - ALPHA) * g);
  yp[3] = yp[4] = ((1 - ALPHA) * g * yp[5] - ALPHA * g * (yp[1] - yp[2])) / (3 / R + (1 - ALPHA) * g);
  yp[6] = yp[7] = -ALPHA * g * (yp[4] - yp[5]) * R / 2;
}
static void amp(double t, const double *y, const double *yp, double *r) {
  double ue = 0.1 * sin(200 * M_PI * t), a = BETA * (exp((y[1] - y[2]) / UF) - 1), b = BETA * (exp((y[4] - y[5]) / UF) - 1);
  r[0] = C1 * (yp[0] - yp[1]) + (y[0] - ue) / R0;
  r[1] = C1 * (yp[0] - yp[1]) - (2 * y[1] - UB) / R - (1 - ALPHA) * a;
  r[2] = C2 * yp[2] + y[2] / R - a;
  r[3] = C3 * (yp[3] - yp[4]) + (y[3] - UB) / R + ALPHA * a;
  r[4] = C3 * (yp[3] - yp[4]) - (2 * y[4] - UB) / R - (1 - ALPHA) * b;
  r[5] = C4 * yp[5] + y[5] / R - b;
  r[6] = C5 * (yp[6] - yp[7]) + (y[6] - UB) / R + ALPHA * b;
  r[7] = C5 * (yp[6] - yp[7]) - y[7] / R;
}
static void amp_jac(double t, double c, const double *y, double *J) {
  enum { N = 8 };
  double a = BETA / UF * exp((y[1] - y[2]) / UF), b = BETA / UF * exp((y[4] - y[5]) / UF);
  J(0, 0) = c * C1 + 1 / R0, J(0, 1) = -c * C1;
  J(1, 0) = c * C1, J(1, 1) = -c * C1 - 2 / R - (1 - ALPHA) * a, J(1, 2) = (1 - ALPHA) * a;
  J(2, 1) = -a, J(2, 2) = c * C2 + 1 / R + a;
  J(3, 1) = ALPHA * a, J(3, 2) = -ALPHA * a, J(3, 3) = c * C3 + 1 / R, J(3, 4) = -c * C3;
  J(4, 3) = c * C3, J(4, 4) = -c * C3 - 2 / R - (1 - ALPHA) * b, J(4, 5) = (1 - ALPHA) * b;
  J(5, 4) = -b, J(5, 5) = c * C4 + 1 / R + b;
  J(6, 4) = ALPHA * b, J(6, 5) = -ALPHA * b, J(6, 6) = c * C5 + 1 / R, J(6, 7) = -c * C5;
  J(7, 6) = c * C5, J(7, 7) = -c * C5 - 1 / R;
}

/* Diodes at the nodes of a plate: side x side voltages and that of the capacitor, the last. */
static int side;
static const double RR = 100, I0 = 1e-9, UT = 0.025, U0 = 5, RS = 100, CC = 1e-5;
static int neighbour(int at, int by) { return at + by < 0 || at + by >= side ? at : at + by; }
static void diodes_start(double *y, double *yp, double *id) { y[side * side] = U0, id[side * side] = 1; }
static void diodes(double t, const double *y, const double *yp, double *r) {
  int u = side * side;
  for (int k = 0; k < side; k++)
    for (int j = 0; j < side; j++) {
      int i = k * side + j;
      double sum = y[k * side + neighbour(j, -1)] + y[k * side + neighbour(j, 1)] + y[neighbour(k, -1) * side + j] + y[neighbour(k, 1) * side + j];
      r[i] = (sum - 4 * y[i]) / RR - I0 * (exp(y[i] / UT) - 1);
    }
  r[0] += (y[u] - y[0]) / RR;
  r[u] = CC * yp[u] - (U0 * cos(100 * M_PI * t) - y[u]) / RS + (y[u] - y[0]) / RR;
}
static int diodes_jac(double t, double c, N_Vector yy, N_Vector ypp, N_Vector rr, SUNMatrix A, void *m, N_Vector a, N_Vector b, N_Vector d) {
  const double *y = N_VGetArrayPointer(yy);
  sunindextype *col = SM_INDEXPTRS_S(A), *row = SM_INDEXVALS_S(A), n = 0;
  double *v = SM_DATA_S(A);
  int u = side * side;
  for (int i = 0; i < u; i++) { /* symmetric, so a column is a row */
    int j = i % side, k = i / side, links = (j > 0) + (j < side - 1) + (k > 0) + (k < side - 1);
    col[i] = n;
    if (k > 0) row[n] = i - side, v[n++] = 1 / RR;
    if (j > 0) row[n] = i - 1, v[n++] = 1 / RR;
    row[n] = i, v[n++] = -(links + (i == 0)) / RR - I0 / UT * exp(y[i] / UT);
    if (j < side - 1) row[n] = i + 1, v[n++] = 1 / RR;
    if (k < side - 1) row[n] = i + side, v[n++] = 1 / RR;
    if (i == 0) row[n] = u, v[n++] = -1 / RR;
  }
  col[u] = n, row[n] = 0, v[n++] = 1 / RR, row[n] = u, v[n++] = c * CC + 1 / RS + 1 / RR, col[u + 1] = n;
  return 0;
}

static Model models[] = {
    {"ROBER_DAE", 3, 4e5, 1e-8, rober_start, rober, rober_jac},
    {"PEND1", 5, 10, 1, pend_start, pend, pend_jac},
    {"AMPLIFIER", 8, 0.2, 1, amp_start, amp, amp_jac},
    {"DIODES", 0, 0.02, 1, diodes_start, diodes, NULL},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void *m) {
  ((Model *)m)->residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
  return 0;
}
static int dense(double t, double c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix A, void *m, N_Vector a, N_Vector b, N_Vector d) {
  SUNMatZero(A);
  ((Model *)m)->jacobian(t, c, N_VGetArrayPointer(y), SM_DATA_D(A));
  return 0;
}

/* Consistent voltages by Newton's method with the limit on junctions that SPICE has; IDACalcIC finds none. */
static int rest(double *y, double *yp, SUNMatrix A, SUNLinearSolver ls, N_Vector v, N_Vector step) {
  double *d = N_VGetArrayPointer(step), critical = UT * log(UT / (I0 * RR)), moved = 1;
  int u = side * side;
  N_Vector left = N_VClone(v);
  double *f = N_VGetArrayPointer(left);
  SUNLinSolInitialize(ls);
  for (int round = 0; round < 500 && moved > 1e-13; round++) {
    yp[u] = 0, diodes(0, y, yp, f), f[u] = 0, moved = 0;
    diodes_jac(0, 1e30, v, NULL, NULL, A, NULL, NULL, NULL, NULL);
    if (SUNLinSolSetup(ls, A) || SUNLinSolSolve(ls, A, step, left, 0)) return 0;
    for (int i = 0; i < u; i++) {
      double to = y[i] - d[i];
      if (to > critical && fabs(d[i]) > 2 * UT) to = y[i] > 0 ? y[i] + (d[i] < 0 ? UT * log(1 - d[i] / UT) : -d[i]) : UT * log(to / UT);
      moved = fmax(moved, fabs(to - y[i])), y[i] = to;
    }
  }
  diodes(0, y, yp, f), yp[u] = -f[u] / CC;
  N_VDestroy(left);
  return moved <= 1e-13;
}

typedef struct { long steps, residuals, jacobians, setups; double start; int failed; } Work;

static Work solve(SUNContext context, Model *m, double tol, double *y) {
  Work w = {0};
  N_Vector v = N_VMake_Serial(m->n, y, context), vp = N_VNew_Serial(m->n, context), id = N_VNew_Serial(m->n, context);
  memset(y, 0, m->n * sizeof *y), N_VConst(0, vp), N_VConst(0, id);
  m->start(y, N_VGetArrayPointer(vp), N_VGetArrayPointer(id));
  void *ida = IDACreate(context);
  IDAInit(ida, residual, 0, v, vp), IDASStolerances(ida, tol, tol * m->atol), IDASetUserData(ida, m), IDASetId(ida, id), IDASetMaxNumSteps(ida, 10000000);
  int is_dense = m->jacobian != NULL;
  SUNMatrix A = is_dense ? SUNDenseMatrix(m->n, m->n, context) : SUNSparseMatrix(m->n, m->n, 5L * m->n, CSC_MAT, context);
  SUNLinearSolver ls = is_dense ? SUNLinSol_Dense(v, A, context) : SUNLinSol_KLU(v, A, context);
  IDASetLinearSolver(ida, ls, A), IDASetJacFn(ida, is_dense ? dense : diodes_jac);
  if (!is_dense) {
    double begin = now();
    w.failed = !rest(y, N_VGetArrayPointer(vp), A, ls, v, id);
    w.start = now() - begin;
    IDAReInit(ida, 0, v, vp);
  }
  double t = 0;
  IDASetStopTime(ida, m->end);
  if (!w.failed) w.failed = IDASolve(ida, m->end, &t, v, vp, IDA_NORMAL) < 0;
  IDAGetNumSteps(ida, &w.steps), IDAGetNumResEvals(ida, &w.residuals), IDAGetNumJacEvals(ida, &w.jacobians), IDAGetNumLinSolvSetups(ida, &w.setups);
  IDAFree(&ida), SUNLinSolFree(ls), SUNMatDestroy(A), N_VDestroy(v), N_VDestroy(vp), N_VDestroy(id);
  return w;
}
static int compare(const void *a, const void *b) {
  double x = *(double *)a, y = *(double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  SUNContext context;
  SUNContext_Create(NULL, &context);
  Model *m = NULL;
  for (int i = 0; i < 4; i++)
    if (argc > 1 && !strncmp(argv[1], models[i].name, strlen(models[i].name))) m = &models[i];
  if (!m) return 1;
  if (!m->n) side = argv[1][6] ? atoi(argv[1] + 6) : 100, m->n = side * side + 1; /* DIODES20: a plate of 20 x 20 */
  double *y = calloc(m->n, sizeof *y), times[5];
  for (int i = 2; i < argc; i++) {
    double tol = atof(argv[i]), begin = now();
    Work w = solve(context, m, tol, y);
    double first = now() - begin;
    if (w.failed) { printf("%g failed\n", tol); continue; }
    int rounds = first > 2 ? 1 : 5, repeats = first < 0.02 ? (int)(0.02 / first) + 1 : 1;
    for (int k = 0; k < rounds; k++) {
      begin = now();
      for (int l = 0; l < repeats; l++) w = solve(context, m, tol, y);
      times[k] = (now() - begin) / repeats;
    }
    qsort(times, rounds, sizeof *times, compare);
    printf("%g %.6g %ld %ld %ld %ld %.6g", tol, times[rounds / 2], w.steps, w.residuals, w.jacobians, w.setups, w.start);
    int corners[] = {side * side, 0, side - 1, side * side - 1}; /* of the plate the capacitor and three corners */
    int shown = m->jacobian ? m->n : 4;
    for (int k = 0; k < shown; k++) printf(" %.17g", y[m->jacobian ? k : corners[k]]);
    printf("\n");
    fflush(stdout);
  }
}
